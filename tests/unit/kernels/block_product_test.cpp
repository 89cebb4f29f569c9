// Blocks of a matrix product against sums in double precision.
#include "kernels/dense/block_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

// Bounds the error of a sum of `depth` terms and what is added to it, each rounded to `epsilon`.
template <class Number, class Multiply>
void expect_product(const Multiply& multiply, double epsilon) {
  constexpr std::size_t stride = block_columns + 5;
  for (const std::size_t depth : {0, 1, 7, 192}) {
    const auto a_floats = random_vector(depth * block_rows, 1);
    const auto b_floats = random_vector(depth * block_columns, 2);
    const auto c_floats = random_vector(block_rows * stride, 3);
    const std::vector<Number> a(a_floats.begin(), a_floats.end());
    const std::vector<Number> b(b_floats.begin(), b_floats.end());
    const std::vector<Number> before(c_floats.begin(), c_floats.end());
    testing::on_every_target([&] {
      std::vector<Number> c = before;
      multiply(a.data(), b.data(), depth, Number{-2}, c.data(), stride);
      for (std::size_t i = 0; i < block_rows; ++i) {
        for (std::size_t j = 0; j < stride; ++j) {
          double sum = static_cast<double>(before[i * stride + j]);
          double size = std::abs(sum);
          for (std::size_t k = 0; k < depth && j < block_columns; ++k) {
            const double term = -2 * static_cast<double>(a[k * block_rows + i]) *
                                static_cast<double>(b[k * block_columns + j]);
            sum += term;
            size += std::abs(term);
          }
          ASSERT_NEAR(static_cast<double>(c[i * stride + j]), sum,
                      epsilon * static_cast<double>(depth + 2) * size);
        }
      }
    });
  }
}

TEST(BlockProduct, IsAddedAndTouchesNothingElse) {
  expect_product<float>(add_block_product, 0x1p-24);
  expect_product<double>(add_block_product_double, 0x1p-52);
}

}  // namespace
}  // namespace palate::kernels
