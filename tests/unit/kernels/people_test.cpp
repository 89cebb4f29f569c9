// Many people at once on strips: what each gets is what a plain loop gives.
#include "kernels/lists/people.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/dense/strip.hpp"
#include "kernels/graph/lay.hpp"
#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

constexpr std::uint32_t rows_of_strip = 40;

// People without entries, with one, with whole sums of 32 and with more.
struct Lists {
  std::vector<std::uint32_t> starts = {0};
  std::vector<std::uint16_t> rows;

  Lists() {
    for (const std::size_t count : {0, 1, 2, 31, 32, 33, 65, 0, 100}) {
      for (std::size_t k = 0; k < count; ++k) {
        rows.push_back(static_cast<std::uint16_t>((rows.size() * 29 + 3) % rows_of_strip));
      }
      starts.push_back(static_cast<std::uint32_t>(rows.size()));
    }
  }
  [[nodiscard]] Entries entries() const { return {starts, rows.data()}; }
  [[nodiscard]] std::size_t people() const { return starts.size() - 1; }
};

// Not everybody, and not in order.
std::vector<std::uint32_t> some_of(std::size_t people) {
  std::vector<std::uint32_t> who;
  for (std::uint32_t p = 0; p < people; ++p) {
    if (p % 4 != 1) who.push_back(static_cast<std::uint32_t>(people - 1 - p));
  }
  return who;
}

std::uint32_t both(std::int32_t low, std::int32_t high) {
  return (static_cast<std::uint32_t>(low) & 0xFFFFU) | static_cast<std::uint32_t>(high) << 16U;
}

// Sums of the largest products, of either sign, are exact.
TEST(AddCodes, AddsProductsOfBothHalves) {
  const Lists lists;
  Random random(5);
  const auto code = [&](std::int32_t most, bool extreme) {
    return extreme ? most : static_cast<std::int32_t>(random.below(static_cast<std::size_t>(most)));
  };
  for (const bool extreme : {false, true}) {
    std::vector<std::array<std::int32_t, 2>> codes;
    std::vector<std::array<std::int32_t, 2>> factors;
    std::vector<std::uint32_t> strip;
    std::vector<std::uint32_t> x;
    for (std::size_t k = 0; k < rows_of_strip * wide_strip; ++k) {
      codes.push_back({code(largest_code, extreme), code(largest_code, extreme)});
      strip.push_back(both(codes.back()[0], codes.back()[1]));
    }
    for (std::size_t k = 0; k < lists.rows.size(); ++k) {
      const std::int32_t sign = extreme && k % 3 == 0 ? -1 : 1;
      factors.push_back({sign * code(largest_factor, extreme), code(largest_factor, extreme)});
      x.push_back(both(factors.back()[0], factors.back()[1]));
    }
    on_every_target([&] {
      const std::vector<std::uint32_t> who = some_of(lists.people());
      std::vector<float> sums(who.size() * wide_strip, 3.0F);
      std::vector<float> fresh(sums.size(), 5.0F);
      add_codes(strip.data(), lists.entries(), who, x.data(), fresh.data(), true);
      add_codes(strip.data(), lists.entries(), who, x.data(), sums.data(), false);
      for (std::size_t n = 0; n < who.size(); ++n) {
        const std::uint32_t p = who[n];
        for (std::size_t c = 0; c < wide_strip; ++c) {
          double sum = 3;
          double size = 3;
          for (std::size_t k = lists.starts[p]; k < lists.starts[p + 1]; ++k) {
            const auto& q = codes[lists.rows[k] * wide_strip + c];
            for (const std::size_t m : {0, 1}) {
              const double term = static_cast<double>(factors[k][m]) * q[m];
              sum += term;
              size += std::abs(term);
            }
          }
          ASSERT_NEAR(static_cast<double>(sums[n * wide_strip + c]), sum, 1e-6 * size);
          ASSERT_NEAR(static_cast<double>(fresh[n * wide_strip + c]), sum - 3, 1e-6 * size);
        }
      }
    });
  }
}

// One after the other: the bits of a narrow strip, and tile by tile those of one list.
TEST(AddWideRows, AddsInOrder) {
  const Lists lists;
  for (const std::size_t matrices : {1, 2, 3, 5}) {
    const auto strip = random_vector(rows_of_strip * matrices * wide_strip, matrices);
    const auto x = random_vector(lists.rows.size() * matrices, 7);
    on_every_target([&] {
      const std::size_t stride = matrices * 16 + 8;
      std::vector<float> left(lists.people() * stride, 9.0F);
      std::vector<float> right(lists.people() * stride, 9.0F);
      add_wide_rows(strip.data(), matrices, lists.entries(), x.data(), left.data(), right.data(),
                    stride, true);
      for (std::size_t p = 0; p < lists.people(); ++p) {
        const std::size_t begin = lists.starts[p];
        const std::size_t end = lists.starts[p + 1];
        const std::vector<std::uint32_t> rows(
            lists.rows.begin() + static_cast<std::ptrdiff_t>(begin),
            lists.rows.begin() + static_cast<std::ptrdiff_t>(end));
        for (std::size_t m = 0; m < matrices; ++m) {
          std::vector<float> factors;
          for (std::size_t k = begin; k < end; ++k) factors.push_back(x[k * matrices + m]);
          for (const std::size_t half : {0, 1}) {
            std::vector<float> narrow;
            for (std::size_t j = 0; j < rows_of_strip; ++j) {
              const float* row = strip.data() + (j * matrices + m) * wide_strip + half * 16;
              narrow.insert(narrow.end(), row, row + 16);
            }
            const float* one = factors.data();
            std::array<float, 16> wanted;
            sum_rows(narrow.data(), rows, {&one, 1}, wanted.data());
            const float* found = (half == 0 ? left : right).data() + p * stride + m * 16;
            ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), found));
          }
        }
        ASSERT_EQ(left[p * stride + matrices * 16], 9.0F);
      }
      // Half of everyone's entries, and then the rest.
      std::vector<float> left_again(left.size(), 9.0F);
      std::vector<float> right_again(right.size(), 9.0F);
      for (std::size_t p = 0; p < lists.people(); ++p) {
        const std::uint32_t middle = (lists.starts[p] + lists.starts[p + 1]) / 2;
        const std::array<std::uint32_t, 2> before = {lists.starts[p], middle};
        const std::array<std::uint32_t, 2> after = {middle, lists.starts[p + 1]};
        add_wide_rows(strip.data(), matrices, {before, lists.rows.data()}, x.data(),
                      left_again.data() + p * stride, right_again.data() + p * stride, stride,
                      true);
        add_wide_rows(strip.data(), matrices, {after, lists.rows.data()}, x.data(),
                      left_again.data() + p * stride, right_again.data() + p * stride, stride,
                      false);
      }
      EXPECT_EQ(left_again, left);
      EXPECT_EQ(right_again, right);
    });
  }
}

TEST(EstimatePeople, UnitsAndRows) {
  for (const std::size_t people : {1, 7, 8, 19}) {
    for (const std::size_t count : {0, 1, 32}) {
      const std::vector<std::uint32_t> who = some_of(people);
      const auto sums = random_vector(who.size() * wide_strip + 16, 1);
      const auto unit = random_vector(who.size(), 2);
      const auto column = random_vector(16, 3);
      const auto rows = random_vector(count * 16, 4);
      const auto z = random_vector(people * count, 5);
      on_every_target([&] {
        std::vector<float> out(who.size() * 16);
        estimate_people(sums.data() + 16, unit.data(), column.data(), rows.data(), count, z.data(),
                        who, out.data());
        for (std::size_t k = 0; k < out.size(); ++k) {
          const std::size_t p = who[k / 16];
          const std::size_t c = k % 16;
          double sum = static_cast<double>(unit[k / 16]) * static_cast<double>(column[c]) *
                       static_cast<double>(sums[k / 16 * wide_strip + 16 + c]);
          double size = std::abs(sum);
          for (std::size_t r = 0; r < count; ++r) {
            const double term =
                static_cast<double>(z[p * count + r]) * static_cast<double>(rows[r * 16 + c]);
            sum += term;
            size += std::abs(term);
          }
          ASSERT_NEAR(static_cast<double>(out[k]), sum, 1e-6 * size);
        }
      });
    }
  }
}

TEST(AddTerms, SharedValuesAndOnesOwn) {
  constexpr std::size_t people = 5;
  const std::vector<std::uint32_t> who = some_of(people);
  const auto factors = random_vector(who.size(), 1);
  const auto shared = random_vector(16, 2);
  const auto own = random_vector(people * 48, 3);
  const std::array<PeopleTerm, 2> terms = {
      {{factors.data(), shared.data(), 0}, {factors.data(), own.data(), 48}}};
  on_every_target([&] {
    std::vector<float> out(who.size() * 16, 0.5F);
    add_terms(terms, who, out.data());
    for (std::size_t k = 0; k < out.size(); ++k) {
      const std::size_t c = k % 16;
      EXPECT_NEAR(out[k], 0.5F + factors[k / 16] * (shared[c] + own[who[k / 16] * 48 + c]), 1e-5F);
    }
  });
}

// The upper 16 bits of a float, and that float.
std::uint16_t bound_of(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}
float value_of(std::uint16_t bound) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bound) << 16U);
}

TEST(FindPeople, ThoseWhoseBoundReachesTheirLeast) {
  for (const std::size_t people : {1, 15, 16, 17, 100}) {
    Random random(people);
    std::vector<std::uint16_t> bound;
    std::vector<float> least;
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t p = 0; p < people; ++p) {
      bound.push_back(bound_of(static_cast<float>(random.uniform() - 0.5)));
      const float value = value_of(bound.back());
      const std::array<float, 4> some = {value, value + 1e-5F, value - 1e-5F, -INFINITY};
      least.push_back(p == 11 ? INFINITY : some[random.below(some.size())]);
      if (value >= least.back()) wanted.push_back(p);
    }
    on_every_target([&] {
      std::vector<std::uint32_t> who(people + 16);
      who.resize(find_people(bound.data(), least.data(), people, who.data()));
      ASSERT_EQ(who, wanted);
    });
  }
}

TEST(KeepPeople, ThoseWhoReachTheirLeastMoveUpWithTheirSums) {
  constexpr std::size_t people = 21;
  auto column_unit = random_vector(wide_strip, 1);
  auto unit = random_vector(2 * people, 2);
  auto sums = random_vector(people * wide_strip, 3);
  for (auto* some : {&column_unit, &unit, &sums}) {
    for (float& x : *some) x = std::abs(x);
  }
  std::vector<float> reach(2 * people, 0.0F);  // every other person is asked for
  for (std::size_t k = 0; k < sums.size(); ++k) {
    float& peak = reach[2 * (k / wide_strip)];
    peak = std::max(peak, sums[k] * column_unit[k % wide_strip]);
  }
  std::vector<std::uint16_t> bound;
  std::vector<float> least;
  for (std::size_t p = 0; p < reach.size(); ++p) {
    bound.push_back(bound_of(0.25F * static_cast<float>(p)));
    reach[p] *= unit[p];
    const float share = p % 3 == 0 ? 1.01F : 0.99F;
    least.push_back(value_of(bound[p]) + reach[p] * share);
  }
  least[4] = -INFINITY;
  least[8] = INFINITY;
  on_every_target([&] {
    std::vector<std::uint32_t> who;
    for (std::uint32_t p = 0; p < reach.size(); p += 2) who.push_back(p);
    std::vector<float> moved = sums;
    who.resize(keep_people({column_unit.data(), unit.data(), bound.data(), least.data()}, who,
                           moved.data()));
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t p = 0; p < reach.size(); p += 2) {
      if (reach[p] >= least[p] - value_of(bound[p])) wanted.push_back(p);
    }
    ASSERT_EQ(who, wanted);
    EXPECT_EQ(who.size(), 13U);
    for (std::size_t k = 0; k < who.size() * wide_strip; ++k) {
      const std::size_t n = who[k / wide_strip] / 2;
      ASSERT_EQ(moved[k], sums[n * wide_strip + k % wide_strip]);
    }
  });
}

// Never below the bound, and above it by no more than 16 bits lose.
TEST(BoundPeople, AreRoundedUpAndStandByColumn) {
  for (const std::size_t people : {1, 16, 37}) {
    const std::size_t room_for = (people + 15) / 16 * 16;
    const auto sums = random_vector(room_for * wide_strip, 1);
    const auto unit = random_vector(room_for, 2);
    const auto column_unit = random_vector(16, 3);
    const auto second = random_vector(room_for * 16, 4);
    std::vector<float> room(room_for, 0.0F);
    room[0] = INFINITY;
    constexpr float rounding = 1e-3F;
    const std::size_t stride = people + 3;
    on_every_target([&] {
      std::vector<std::uint16_t> out(16 * stride, 0x1234);
      bound_people(
          {sums.data(), unit.data(), column_unit.data(), second.data(), room.data(), rounding},
          people, out.data(), stride);
      for (std::size_t k = 0; k < out.size(); ++k) {
        const std::size_t p = k % stride;
        const std::size_t c = k / stride;
        if (p >= people) {
          ASSERT_EQ(out[k], 0x1234);
          continue;
        }
        const float found = std::bit_cast<float>(std::uint32_t{out[k]} << 16U);
        const double first = static_cast<double>(unit[p]) * static_cast<double>(column_unit[c]) *
                             static_cast<double>(sums[p * wide_strip + c]);
        const double both = first + static_cast<double>(second[p * 16 + c]);
        const double bound = both + 1e-3 * (std::abs(both) + 2 * first);
        const double off = 1e-6 * (std::abs(first) + std::abs(both) + 1e-6);
        if (p == 0) {
          EXPECT_EQ(found, INFINITY);
        } else {
          EXPECT_GE(static_cast<double>(found), bound - off);
          EXPECT_LE(static_cast<double>(found), bound + off + 0.008 * std::abs(bound));
        }
      }
    });
  }
}

TEST(LanesAtLeast, AreBitsByPerson) {
  constexpr std::size_t people = 6;
  auto values = random_vector(people * 16, 8);
  auto least = random_vector(people, 9);
  values[5] = least[0];
  least[1] = -INFINITY;
  least[2] = INFINITY;
  on_every_target([&] {
    std::vector<std::uint16_t> lanes(people, 0xABCD);
    lanes_at_least(values.data(), least.data(), people, lanes.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_EQ((lanes[k / 16] >> k % 16 & 1U) != 0, values[k] >= least[k / 16]);
    }
  });
}

}  // namespace
}  // namespace palate::kernels
