// A few rows of a matrix, weighted and added up.
#include "kernels/dense/weighted_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

TEST(WeightedRows, EqualTheDoubleSumAndDoNotDependOnTheWidth) {
  constexpr std::size_t stride = 97;
  const auto matrix = random_vector(40 * stride, 1);
  for (const std::size_t count : {0, 1, 2, 13}) {
    const auto x = random_vector(count, 7);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t k = 0; k < count; ++k) rows.push_back((k * 29 + 3) % 40);
    testing::on_every_target([&] {
      std::vector<float> whole(stride);
      weighted_rows(matrix.data(), stride, rows, x, stride, whole.data());
      for (std::size_t c = 0; c < stride; ++c) {
        double sum = 0;
        double size = 0;
        for (std::size_t k = 0; k < count; ++k) {
          const double term =
              static_cast<double>(x[k]) * static_cast<double>(matrix[rows[k] * stride + c]);
          sum += term;
          size += std::abs(term);
        }
        ASSERT_NEAR(static_cast<double>(whole[c]), sum, 2e-6 * size);
      }
      for (const std::size_t width : {1, 5, 32, 64}) {
        std::vector<float> some(width);
        weighted_rows(matrix.data() + 9, stride, rows, x, width, some.data());
        for (std::size_t c = 0; c < width; ++c) ASSERT_EQ(some[c], whole[9 + c]);
      }
    });
  }
}

TEST(WeightedRows, OfShortIntegersEqualThoseOfTheSameNumbersToTheBit) {
  constexpr std::size_t stride = 203;
  std::vector<std::int16_t> shorts;
  std::vector<float> floats;
  for (const float value : random_vector(40 * stride, 1)) {
    shorts.push_back(static_cast<std::int16_t>(std::lround(value * 32767)));
    floats.push_back(static_cast<float>(shorts.back()));
  }
  shorts[5] = -32768;
  floats[5] = -32768;
  for (const std::size_t count : {0, 1, 2, 13}) {
    const auto x = random_vector(count, 7);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t k = 0; k < count; ++k) rows.push_back((k * 29 + 3) % 40);
    testing::on_every_target([&] {
      for (const std::size_t width : {std::size_t{1}, std::size_t{37}, stride}) {
        std::vector<float> expected(width);
        std::vector<float> sums(width);
        weighted_rows(floats.data(), stride, rows, x, width, expected.data());
        weighted_short_rows(shorts.data(), stride, rows, x, width, sums.data());
        ASSERT_EQ(sums, expected);
      }
    });
  }
}

}  // namespace
}  // namespace palate::kernels
