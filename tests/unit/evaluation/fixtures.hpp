// Small ratings, and a recommender whose lists are known beforehand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "core/recommender.hpp"
#include "palate/error.hpp"
#include "palate/ratings.hpp"

namespace palate::test {

inline constexpr float absent = std::numeric_limits<float>::quiet_NaN();

struct Row {
  std::string user, item;
  float overall = 0;
  std::int64_t time = 0;
};

inline Ratings make_ratings(const std::vector<Row>& rows, bool times = false) {
  RatingsBuilder builder({"overall"});
  for (const Row& row : rows) {
    const float values[] = {row.overall};
    builder.add(row.user, row.item, values,
                times ? std::optional<std::int64_t>(row.time) : std::nullopt);
  }
  return builder.build();
}

/// Users with 1, 2, 3, ... interactions; ids with spaces and other scripts among them.
inline std::vector<Row> many_rows(std::size_t users) {
  std::vector<Row> rows;
  Random random(5);
  for (std::size_t u = 0; u < users; ++u) {
    for (std::size_t k = 0; k <= u; ++k) {
      rows.push_back({"Zoë " + std::to_string(u), "bière " + std::to_string((u + k * 7) % 97),
                      static_cast<float>(1 + random.below(5)),
                      static_cast<std::int64_t>(random.below(50))});
    }
  }
  return rows;
}

/// Gives `order` to everyone, without what the user has seen.
class FixedLists : public Recommender {
 public:
  FixedLists(std::size_t items, std::vector<std::uint32_t> order)
      : items_(items), order_(std::move(order)) {}

  [[nodiscard]] std::size_t items() const noexcept override { return items_; }
  [[nodiscard]] std::size_t criteria() const noexcept override { return 1; }
  [[nodiscard]] CriterionSet signals() const noexcept override { return 1; }
  [[nodiscard]] bool weighs_criteria() const noexcept override { return false; }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool&) const override {
    for (std::size_t k = 0; k < queries.size(); ++k) {
      const auto seen = queries[k].ratings.items;
      lists[k].clear();
      for (const std::uint32_t item : order_) {
        const bool skip =
            queries[k].exclude_seen && std::binary_search(seen.begin(), seen.end(), item);
        if (!skip && lists[k].size() < queries[k].top) lists[k].push_back({item, 1.0F});
      }
    }
  }
  void score(const Query&, std::span<float> scores) const override {
    std::fill(scores.begin(), scores.end(), 0.0F);
  }
  void save(Parts&) const override {}
  [[nodiscard]] std::size_t bytes() const noexcept override { return 0; }

 private:
  std::size_t items_;
  std::vector<std::uint32_t> order_;
};

/// Expects `call` to throw an Error of this code that tells the user something.
inline void expect_error(ErrorCode code, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_FALSE(error.message().empty());
  }
}

}  // namespace palate::test
