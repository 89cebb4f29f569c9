// Each kernel against its slow twin, under every instruction set that this machine has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/graph/pair_dots.hpp"
#include "kernels/graph/power.hpp"
#include "kernels/lists/top_k.hpp"
#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

struct Sparse {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

Sparse random_sparse(std::size_t n, double density, std::uint64_t seed) {
  Random random(seed);
  Sparse out;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      if (random.uniform() < density) {
        out.columns.push_back(j);
        out.values.push_back(static_cast<float>(random.uniform()));
      }
    }
    out.offsets.push_back(out.columns.size());
  }
  return out;
}

std::vector<float> random_panel(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> out(n * panel_width);
  for (float& x : out) x = static_cast<float>(random.normal());
  return out;
}

TEST(PanelMultiply, EqualsTheDoubleSum) {
  const std::size_t n = 57;
  const Sparse a = random_sparse(n, 0.3, 1);
  const auto x = random_panel(n, 2);
  on_every_target([&] {
    std::vector<float> y(n * panel_width, -1.0F);
    multiply(a.offsets, a.columns, a.values, x.data(), y.data());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < panel_width; ++lane) {
        double sum = 0;
        double size = 0;
        for (std::uint64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
          const double term = static_cast<double>(a.values[k]) *
                              static_cast<double>(x[a.columns[k] * panel_width + lane]);
          sum += term;
          size += std::abs(term);
        }
        ASSERT_NEAR(static_cast<double>(y[i * panel_width + lane]), sum, 1e-6 * size + 1e-30);
      }
    }
  });
}

// Rows scattered in ascending order give the bits that multiply gives for a symmetric matrix.
TEST(PanelScatter, SameBitsAsMultiply) {
  const std::size_t n = 40;
  Sparse half = random_sparse(n, 0.4, 3);
  std::vector<std::vector<float>> dense(n, std::vector<float>(n, 0.0F));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint64_t k = half.offsets[i]; k < half.offsets[i + 1]; ++k) {
      dense[i][half.columns[k]] = dense[half.columns[k]][i] = half.values[k];
    }
  }
  Sparse a;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      if (dense[i][j] == 0) continue;
      a.columns.push_back(j);
      a.values.push_back(dense[i][j]);
    }
    a.offsets.push_back(a.columns.size());
  }
  const auto x = random_panel(n, 4);
  on_every_target([&] {
    std::vector<float> y(n * panel_width);
    multiply(a.offsets, a.columns, a.values, x.data(), y.data());
    std::vector<float> z(n * panel_width, 0.0F);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t count = a.offsets[j + 1] - a.offsets[j];
      scatter_row({a.columns.data() + a.offsets[j], count}, {a.values.data() + a.offsets[j], count},
                  x.data() + j * panel_width, z.data());
    }
    EXPECT_EQ(y, z);
  });
}

TEST(Power, EqualsStdPow) {
  Random random(7);
  std::vector<float> in;
  for (std::size_t k = 0; k < 1003; ++k) {
    in.push_back(static_cast<float>(std::exp(-25 * random.uniform())));
  }
  in.push_back(0.0F);
  in.push_back(1.0F);
  in.push_back(1e-38F);
  in.push_back(3.5F);
  on_every_target([&] {
    for (const double s : {0.1, 0.5, 0.85, 1.0, 1.2, 1.8, 2.0}) {
      std::vector<float> out(in.size(), -1.0F);
      power(in, s, out);
      for (std::size_t k = 0; k < in.size(); ++k) {
        const double wanted = in[k] > 0 ? std::pow(static_cast<double>(in[k]), s) : 0.0;
        ASSERT_NEAR(static_cast<double>(out[k]), wanted, 2e-7 * wanted + 1e-44)
            << in[k] << "^" << s;
      }
    }
  });
}

TEST(Power, WorksInPlaceAndOnNothing) {
  std::vector<float> values = {0.25F, 0.0F, 1.0F};
  power(values, 0.5, values);
  EXPECT_NEAR(values[0], 0.5F, 1e-7F);
  EXPECT_EQ(values[1], 0.0F);
  EXPECT_NEAR(values[2], 1.0F, 1e-7F);
  power({}, 0.5, {});
}

TEST(SquareSum, EqualsTheDoubleSum) {
  const auto y = random_vector(77, 16);
  double sum = 0;
  for (const float v : y) sum += static_cast<double>(v) * static_cast<double>(v);
  on_every_target([&] { EXPECT_NEAR(square_sum(y), sum, 1e-12 * sum); });
}

TEST(PairDots, AddsToTheSumsOfTheItems) {
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};  // two values per item
  const std::vector<std::uint32_t> items = {4, 0, 2};
  const std::vector<float> left = {10, 100};
  std::vector<double> sums = {1, 0, 0, 7, 0};
  add_pair_dots(left, items, rows.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<double>{1 + 30 + 400, 0, 50 + 600, 7, 10 + 200}));
}

TEST(TopK, EqualsSorting) {
  Random random(8);
  for (const std::size_t capacity : {0, 1, 3, 10, 200}) {
    std::vector<TopK::Entry> all;
    TopK top;
    top.reset(capacity);
    for (std::uint32_t k = 0; k < 100; ++k) {
      const auto score = static_cast<float>(random.below(12));  // many ties
      const auto index = static_cast<std::uint32_t>((k * 37) % 100);
      all.emplace_back(score, index);
      top.offer(score, index);
    }
    std::sort(all.begin(), all.end(), TopK::better);
    all.resize(std::min(capacity, all.size()));
    const auto sorted = top.sorted();
    EXPECT_EQ(std::vector<TopK::Entry>(sorted.begin(), sorted.end()), all);
  }
}

}  // namespace
}  // namespace palate::kernels
