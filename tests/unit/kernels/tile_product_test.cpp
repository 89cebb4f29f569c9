// Tiles of a product equal the double sums, whatever is 0 in them.
#include "kernels/dense/tile_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

// Random numbers of both signs, of which only some are not 0.
std::vector<float> with_zeros(std::size_t size, double density, std::uint64_t seed) {
  std::vector<float> out = random_vector(size, seed);
  Random random(seed);
  for (float& value : out) {
    if (random.uniform() >= density) value = 0;
  }
  return out;
}

TEST(AddTileProduct, EqualsTheDoubleSums) {
  constexpr std::size_t stride = 100;
  const auto b = with_zeros(product_depth * product_tile, 0.9, 1);
  for (const double density : {0.0, 0.05, 0.5, 1.0}) {
    for (const std::size_t rows : {2, 6, 20}) {
      const auto a = with_zeros(rows * stride, density, rows);
      const auto before = random_vector(rows * product_tile, 7);
      on_every_target([&] {
        std::vector<float> c = before;
        add_tile_product(a.data(), stride, rows, b.data(), c.data());
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t j = 0; j < product_tile; ++j) {
            double sum = static_cast<double>(before[r * product_tile + j]);
            double size = std::abs(sum);
            for (std::size_t k = 0; k < product_depth; ++k) {
              const double term = static_cast<double>(a[r * stride + k]) *
                                  static_cast<double>(b[k * product_tile + j]);
              sum += term;
              size += std::abs(term);
            }
            ASSERT_NEAR(static_cast<double>(c[r * product_tile + j]), sum, 1e-6 * size)
                << "row " << r << ", column " << j << ", density " << density;
          }
        }
      });
    }
  }
}

TEST(AddTileProduct, ReadsAndWritesNoOtherRows) {
  constexpr std::size_t rows = 4;
  const auto b = random_vector(product_depth * product_tile, 1);
  std::vector<float> a = random_vector((rows + 2) * product_depth, 2);
  on_every_target([&] {
    std::vector<float> c((rows + 2) * product_tile, 3.0F);
    add_tile_product(a.data(), product_depth, rows, b.data(), c.data());
    for (std::size_t k = rows * product_tile; k < c.size(); ++k) ASSERT_EQ(c[k], 3.0F);
  });
}

// However many rows are asked for at once, a pair gets the same bits.
TEST(AddTileProduct, OtherPairsChangeNothing) {
  constexpr std::size_t rows = 10;
  const auto b = random_vector(product_depth * product_tile, 1);
  const auto a = with_zeros(rows * product_depth, 0.4, 2);
  on_every_target([&] {
    std::vector<float> together(rows * product_tile, 0.0F);
    add_tile_product(a.data(), product_depth, rows, b.data(), together.data());
    for (std::size_t r = 0; r < rows; r += 2) {
      std::vector<float> alone(2 * product_tile, 0.0F);
      add_tile_product(a.data() + r * product_depth, product_depth, 2, b.data(), alone.data());
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                             together.begin() + static_cast<std::ptrdiff_t>(r * product_tile)));
    }
  });
}

}  // namespace
}  // namespace palate::kernels
