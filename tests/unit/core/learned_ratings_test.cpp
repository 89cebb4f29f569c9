#include "core/learned_ratings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/ratings_data.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using testing::random_ratings;

const testing::RandomShape shape{.users = 20, .items = 60, .criteria = 3, .density = 0.4};

std::set<std::string> items_of(const Ratings& ratings, std::uint32_t user) {
  std::set<std::string> out;
  for (const std::uint32_t item : ratings.of(user).items) out.emplace(ratings.item_id(item));
  return out;
}

TEST(LearnedRatings, AreTheVerySameWhereNobodyHasMore) {
  const Ratings all = random_ratings(shape, 1);
  EXPECT_EQ(&learned_ratings(all).data(), &all.data());
  EXPECT_EQ(&learned_ratings(all, 60).data(), &all.data());
}

TEST(LearnedRatings, HaveNoMoreOfAnyoneAndLeaveOthersAlone) {
  const Ratings all = random_ratings(shape, 2);
  const Ratings some = learned_ratings(all, 20);
  EXPECT_EQ(some.data().catalogue, all.data().catalogue);
  EXPECT_LT(some.interactions(), all.interactions());
  for (std::uint32_t u = 0; u < all.users(); ++u) {
    const std::set<std::string> before = items_of(all, u);
    const std::set<std::string> after = items_of(some, u);
    EXPECT_EQ(after.size(), std::min<std::size_t>(20, before.size()));
    EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()));
  }
}

// Whoever rates one thing more has at most one other rating that no longer counts.
TEST(LearnedRatings, HangOnTheItemsAloneAndChangeLittleWithOneMore) {
  std::vector<std::string> ids;
  for (int k = 0; k < 100; ++k) ids.push_back("item " + std::to_string(k));
  const auto chosen = [&](std::size_t count, bool backwards) {
    const auto id = [&](std::size_t k) -> std::string_view {
      return ids[backwards ? count - 1 - k : k];
    };
    std::set<std::string> out;
    for (const std::uint32_t k : learned_positions(count, id, 10)) out.emplace(id(k));
    return out;
  };
  for (std::size_t count = 10; count < 100; ++count) {
    const auto before = chosen(count, false);
    EXPECT_EQ(before.size(), 10U);
    EXPECT_EQ(chosen(count, true), before);
    std::vector<std::string> same;
    const auto after = chosen(count + 1, false);
    std::set_intersection(before.begin(), before.end(), after.begin(), after.end(),
                          std::back_inserter(same));
    EXPECT_GE(same.size(), 9U);
  }
}

}  // namespace
}  // namespace palate
