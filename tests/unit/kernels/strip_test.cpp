// Sums over strips of 16 columns.
#include "kernels/dense/strip.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "random_vector.hpp"
#include "support/sums.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

std::vector<std::uint32_t> some_rows(std::size_t count, std::uint32_t of) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t k = 0; k < count; ++k) rows.push_back((k * 29 + 3) % of);
  return rows;
}

TEST(SumRows, EqualsTheDoubleSumOfEveryMatrix) {
  constexpr std::uint32_t n = 50;
  for (const std::size_t matrices : {0, 1, 2, 3, 5}) {
    const auto strip = random_vector(n * matrices * block_width, matrices);
    for (const std::size_t count : {0, 1, 2, 7, 40}) {
      const auto rows = some_rows(count, n);
      const auto factors = random_vector(count * matrices, 10 + count);
      std::vector<const float*> x;
      for (std::size_t m = 0; m < matrices; ++m) x.push_back(factors.data() + m * count);
      on_every_target([&] {
        std::vector<float> out(matrices * block_width, -1.0F);
        sum_rows(strip.data(), rows, x, out.data());
        for (std::size_t m = 0; m < matrices; ++m) {
          for (std::size_t c = 0; c < block_width; ++c) {
            double sum = 0;
            double size = 0;
            for (std::size_t k = 0; k < count; ++k) {
              const double term =
                  static_cast<double>(x[m][k]) *
                  static_cast<double>(strip[(rows[k] * matrices + m) * block_width + c]);
              sum += term;
              size += std::abs(term);
            }
            ASSERT_NEAR(static_cast<double>(out[m * block_width + c]), sum, 1e-6 * size);
          }
        }
      });
    }
  }
}

TEST(AddRows, AddsToWhatIsThere) {
  for (const std::size_t count : {0, 1, 3, 4, 6, 64}) {
    const auto rows = random_vector(count * block_width, 3);
    const auto x = random_vector(count, 4);
    on_every_target([&] {
      std::vector<float> out(block_width, 0.75F);
      add_rows(rows.data(), count, x.data(), out.data());
      for (std::size_t c = 0; c < block_width; ++c) {
        testing::Sum expected{0.75, 0.75};
        for (std::size_t k = 0; k < count; ++k) {
          expected.add_product(x[k], rows[k * block_width + c]);
        }
        ASSERT_NEAR(static_cast<double>(out[c]), expected.sum, 1e-6 * expected.size);
      }
    });
  }
}

TEST(StripsDot, EqualsTheDoubleSum) {
  for (const std::size_t strips : {0, 1, 2, 7, 8}) {
    const std::size_t a_stride = block_width;
    const std::size_t y_stride = 3 * block_width;
    const auto a = random_vector(strips * a_stride, 5);
    const auto y = random_vector(strips * y_stride, 6);
    double sum = 0;
    double size = 0;
    for (std::size_t s = 0; s < strips; ++s) {
      for (std::size_t c = 0; c < block_width; ++c) {
        const double term =
            static_cast<double>(a[s * a_stride + c]) * static_cast<double>(y[s * y_stride + c]);
        sum += term;
        size += std::abs(term);
      }
    }
    on_every_target([&] {
      EXPECT_NEAR(static_cast<double>(strips_dot(a.data(), a_stride, y.data(), y_stride, strips)),
                  sum, 1e-6 * size);
    });
  }
}

TEST(StripsDots, SameBitsAsOneByOne) {
  constexpr std::uint32_t n = 12;
  for (const std::size_t strips : {1, 3, 8, 16, 19}) {
    const std::size_t row_size = strips * block_width;
    const std::size_t y_stride = 5 * block_width;
    const auto a = random_vector(n * row_size, 7);
    const auto y = random_vector(strips * y_stride, 8);
    for (const std::size_t count : {0, 1, 9}) {
      const auto rows = some_rows(count, n);
      on_every_target([&] {
        std::vector<double> sums(count, 0.125);
        strips_dots(a.data(), row_size, rows, y.data(), y_stride, strips, sums.data());
        for (std::size_t k = 0; k < count; ++k) {
          const float dot =
              strips_dot(a.data() + rows[k] * row_size, block_width, y.data(), y_stride, strips);
          EXPECT_EQ(sums[k], 0.125 + static_cast<double>(dot));
        }
      });
    }
  }
}

TEST(UpperBounds, AreTheEstimateAndAllTerms) {
  const auto first = random_vector(block_width, 1);
  const auto estimate = random_vector(block_width, 2);
  auto values = random_vector(2 * block_width, 3);
  auto sizes = random_vector(2 * block_width, 4);
  for (float& v : values) v = std::abs(v);
  for (float& v : sizes) v = std::abs(v);
  const std::array<RadiusTerm, 2> terms = {
      {{0.5F, values.data(), 1e-3F, sizes.data()},
       {2.0F, values.data() + block_width, 0.0F, sizes.data() + block_width}}};
  on_every_target([&] {
    for (const std::size_t count : {0, 1, 2}) {
      std::vector<float> radius(block_width);
      std::vector<float> upper(block_width);
      upper_bounds(first.data(), estimate.data(), std::span(terms).first(count), 4e-6F,
                   radius.data(), upper.data());
      for (std::size_t c = 0; c < block_width; ++c) {
        double least = 0;
        for (std::size_t k = 0; k < count; ++k) {
          least += static_cast<double>(terms[k].factor) * static_cast<double>(terms[k].values[c]) +
                   static_cast<double>(terms[k].slack) * static_cast<double>(terms[k].sizes[c]);
        }
        // Rounding has room, and no more than a little.
        const double parts =
            static_cast<double>(std::abs(first[c]) + std::abs(estimate[c] - first[c]));
        EXPECT_GE(static_cast<double>(radius[c]), least + 1e-6 * parts);
        EXPECT_LE(static_cast<double>(radius[c]), least + 1e-5 * parts + 1e-6 * least);
        EXPECT_EQ(upper[c], estimate[c] + radius[c]);
      }
    }
  });
}

TEST(AtLeast, MarksTheValuesThatReach) {
  auto values = random_vector(block_width, 9);
  values[4] = 0.25F;
  values[15] = -INFINITY;
  std::uint32_t wanted = 0;
  for (std::size_t c = 0; c < block_width; ++c) {
    if (values[c] >= 0.25F) wanted |= 1U << c;
  }
  on_every_target([&] {
    EXPECT_EQ(at_least(values.data(), 0.25F), wanted);
    EXPECT_EQ(at_least(values.data(), -INFINITY), 0xFFFFU);
    EXPECT_EQ(at_least(values.data(), INFINITY), 0U);
  });
}

}  // namespace
}  // namespace palate::kernels
