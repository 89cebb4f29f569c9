// Pairs of items that one user rated.
#include "kernels/graph/user_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

constexpr std::size_t group = 16;

// Users with few and with many ratings, in groups of 16 as the kernel wants them.
struct Sample {
  std::size_t width;
  std::uint32_t items;
  std::vector<std::vector<std::uint32_t>> rated;  // by user
  std::vector<std::uint32_t> begin;               // of each user, in groups
  std::vector<std::uint32_t> places;
  std::vector<float> values;

  Sample(std::size_t criteria, std::uint32_t count, std::uint64_t seed)
      : width(criteria), items(count) {
    Random random(seed);
    for (const std::size_t size : {1, 2, 15, 16, 17, 40, 128, 129, 200}) {
      std::set<std::uint32_t> mine;
      while (mine.size() < size) mine.insert(static_cast<std::uint32_t>(random.below(items)));
      rated.emplace_back(mine.begin(), mine.end());
      begin.push_back(static_cast<std::uint32_t>(places.size() / group));
      const std::size_t from = places.size();
      const std::size_t padded = (size + group - 1) / group * group;
      places.resize(from + padded);
      std::copy(mine.begin(), mine.end(), places.begin() + static_cast<std::ptrdiff_t>(from));
      values.resize((from + padded) * width, 0.0F);
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t c = 0; c < width; ++c) {
          at(rated.size() - 1, k, c) = static_cast<float>(random.uniform());
        }
      }
    }
  }
  float& at(std::size_t user, std::size_t k, std::size_t c) {
    return values[((begin[user] + k / group) * width + c) * group + k % group];
  }
  [[nodiscard]] std::vector<RatedList> lists() const {
    std::vector<RatedList> out;
    for (std::size_t u = 0; u < rated.size(); ++u) {
      out.push_back({begin[u], static_cast<std::uint32_t>(rated[u].size())});
    }
    return out;
  }
  [[nodiscard]] std::vector<Rater> raters(std::uint32_t item) const {
    std::vector<Rater> out;
    for (std::size_t u = 0; u < rated.size(); ++u) {
      for (std::uint32_t k = 0; k < rated[u].size(); ++k) {
        if (rated[u][k] == item) {
          out.push_back(
              {static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(begin[u] * group + k)});
        }
      }
    }
    return out;
  }
};

// Lists are in the order of items, so that each has its own sums with those from itself on.
void expect_upper_half(const std::vector<float>& sums, const std::vector<double>& wanted,
                       std::size_t items) {
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(sums[i * items + j], 0.0F);
    for (std::size_t j = i; j < items; ++j) {
      const double sum = wanted[i * items + j];
      ASSERT_NEAR(static_cast<double>(sums[i * items + j]), sum, 2e-6 * sum);
    }
  }
}

TEST(UserPairs, EqualTheDoubleSums) {
  constexpr std::uint32_t items = 230;
  for (const std::size_t width : {1, 2, 3, 4, 5, 6, 7}) {
    Sample sample(width, items, width);
    std::vector<double> wanted(items * items, 0.0);
    for (std::size_t u = 0; u < sample.rated.size(); ++u) {
      const auto& mine = sample.rated[u];
      for (std::size_t a = 0; a < mine.size(); ++a) {
        for (std::size_t b = 0; b < mine.size(); ++b) {
          for (std::size_t c = 0; c < width; ++c) {
            wanted[mine[a] * items + mine[b]] +=
                static_cast<double>(sample.at(u, a, c)) * static_cast<double>(sample.at(u, b, c));
          }
        }
      }
    }
    on_every_target([&] {
      std::vector<float> sums(items * items, 0.0F);
      for (std::uint32_t i = 0; i < items; ++i) {
        add_user_pairs(sample.raters(i), sample.lists().data(), sample.values.data(), width,
                       sample.places.data(), sums.data() + i * items);
      }
      expect_upper_half(sums, wanted, items);
    });
  }
}

// Ratings as whole numbers, with a weight for each criterion of a user.
TEST(UserPairs, CodesEqualTheDoubleSums) {
  constexpr std::uint32_t items = 230;
  for (const std::size_t width : {1, 2, 4, 5, 6, 7}) {
    Sample sample(width, items, width);
    std::vector<std::uint8_t> codes(sample.values.size());
    for (std::size_t k = 0; k < codes.size(); ++k) {
      codes[k] = static_cast<std::uint8_t>(255 * sample.values[k]);
    }
    const std::vector<std::uint16_t> places(sample.places.begin(), sample.places.end());
    std::vector<float> weights;
    for (std::size_t k = 0; k < sample.rated.size() * width; ++k) {
      weights.push_back(1.0F / static_cast<float>(k + 3));
    }
    std::vector<double> wanted(items * items, 0.0);
    for (std::size_t u = 0; u < sample.rated.size(); ++u) {
      const auto& mine = sample.rated[u];
      const auto code = [&](std::size_t k, std::size_t c) {
        return static_cast<double>(
            codes[static_cast<std::size_t>(&sample.at(u, k, c) - sample.values.data())]);
      };
      for (std::size_t a = 0; a < mine.size(); ++a) {
        for (std::size_t b = 0; b < mine.size(); ++b) {
          for (std::size_t c = 0; c < width; ++c) {
            wanted[mine[a] * items + mine[b]] +=
                static_cast<double>(weights[u * width + c]) * code(a, c) * code(b, c);
          }
        }
      }
    }
    on_every_target([&] {
      std::vector<float> sums(items * items, 0.0F);
      for (std::uint32_t i = 0; i < items; ++i) {
        add_coded_pairs(sample.raters(i), sample.lists().data(), codes.data(), weights.data(),
                        width, places.data(), sums.data() + i * items);
      }
      expect_upper_half(sums, wanted, items);
    });
  }
}

TEST(UserPairs, NobodyAddsNothing) {
  on_every_target([] {
    std::vector<float> sums = {1.0F, 2.0F};
    add_user_pairs({}, nullptr, nullptr, 3, nullptr, sums.data());
    EXPECT_EQ(sums, (std::vector<float>{1.0F, 2.0F}));
  });
}

}  // namespace
}  // namespace palate::kernels
