// Weights of large catalogues against those of all pairs, and against their formulas written out.
#include "methods/adaptive/wide_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/adaptive/strongest.hpp"
#include "methods/linear/sparse_lists.hpp"
#include "support/random_ratings.hpp"
#include "support/slow_twin.hpp"

namespace palate {
namespace {

using testing::Matrix;

struct Fit {
  explicit Fit(unsigned threads = 2) : pool(threads) {}
  [[nodiscard]] FitResources resources() { return {pool, nobody, stages}; }

  const Progress nobody;
  Stages stages;
  ThreadPool pool;
  Levels levels = levels_of(
      testing::random_ratings({.users = 90, .items = 70, .criteria = 1, .density = 0.08}, 3));
  std::vector<std::uint32_t> raters = levels.raters();
};

Matrix dense(const ItemGraph& by_target) {
  const std::size_t items = by_target.pattern.items();
  Matrix out = testing::zeros(items, items);
  for (std::size_t i = 0; i < items; ++i) {
    for (std::uint64_t k = by_target.pattern.offsets[i]; k < by_target.pattern.offsets[i + 1];
         ++k) {
      out[by_target.pattern.columns[k]][i] = static_cast<double>(by_target.values[k]);
    }
  }
  return out;
}

Matrix dense(const ItemMatrix& matrix, std::size_t items) {
  Matrix out = testing::zeros(items, items);
  for (std::size_t j = 0; j < items; ++j) {
    for (std::size_t i = 0; i < items; ++i) out[j][i] = static_cast<double>(matrix[j * items + i]);
  }
  return out;
}

void expect_near(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (const auto& row : b) {
    for (const double value : row) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t j = 0; j < a.size(); ++j) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[j][i], b[j][i], 1e-5 * largest) << j << " to " << i;
    }
  }
}

ItemGraph links(Fit& fit, const Adaptive& settings, std::size_t most) {
  return sparse_gram(fit.levels, settings.user_power, settings.level_power, most, fit.resources());
}

Matrix exact(Fit& fit, const Adaptive& settings) {
  ItemMatrix n = gram(fit.levels, settings.user_power, settings.level_power, fit.resources());
  turn_into_kernel(n, fit.raters, settings, fit.resources());
  return dense(n, fit.levels.items);
}

TEST(WideKernel, WithEveryItemInTheCoreIsTheRidgeItself) {
  Fit fit;
  const std::size_t items = fit.levels.items;
  const Adaptive settings{.level_power = 0.5};
  const ItemGraph n = links(fit, settings, items);
  const WideOptions all{.core = items, .kept = 0, .links = items};
  expect_near(dense(wide_kernel(n, fit.raters, settings, all, fit.resources())),
              exact(fit, settings));
  expect_near(dense(wide_ridge(n, fit.raters, settings, all, fit.resources()), items),
              exact(fit, settings));
}

TEST(WideKernel, GraphsAreThoseOfAllPairs) {
  Fit fit;
  const Adaptive settings{.weights = Adaptive::Weights::graph, .level_power = 1, .link_power = 0.4};
  const ItemGraph n = links(fit, settings, fit.levels.items);
  expect_near(dense(wide_kernel(n, fit.raters, settings, {}, fit.resources())),
              exact(fit, settings));
}

// The formulas of wide_kernel.hpp.
Matrix slow_twin(Fit& fit, const Adaptive& settings, std::size_t core) {
  const std::size_t items = fit.levels.items;
  const Matrix n = dense(links(fit, settings, items));
  std::vector<double> diagonal(items);
  for (std::size_t i = 0; i < items; ++i) diagonal[i] = n[i][i];
  const std::vector<double> added = ridge(diagonal, fit.raters, settings);
  Matrix a = testing::zeros(items, items);
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t j = 0; j < items; ++j) {
      const double root = std::sqrt(n[i][i] * n[j][j]);
      if (root > 0 && n[i][j] > 0) a[i][j] = root * std::pow(n[i][j] / root, settings.link_power);
    }
    a[i][i] += added[i];
  }
  std::vector<std::size_t> order(items);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return fit.raters[x] > fit.raters[y]; });
  Matrix acc = testing::zeros(core, core);
  for (std::size_t p = 0; p < core; ++p) {
    for (std::size_t q = 0; q < core; ++q) acc[p][q] = a[order[p]][order[q]];
  }
  const Matrix q = testing::inverse(acc);
  Matrix k = testing::zeros(items, items);
  for (std::size_t p = 0; p < core; ++p) {
    for (std::size_t c = 0; c < core; ++c) {
      if (p != c) k[order[p]][order[c]] = -q[p][c] / q[c][c];
    }
  }
  for (std::size_t t = core; t < items; ++t) {
    const std::size_t item = order[t];
    const double d = a[item][item];
    std::vector<double> w(core, 0.0);
    double met = 0;
    for (std::size_t p = 0; p < core; ++p) {
      for (std::size_t c = 0; c < core; ++c) w[p] += q[p][c] * a[order[c]][item];
      met += a[item][order[p]] * w[p];
    }
    for (std::size_t p = 0; p < core; ++p) {
      const double own = 1 / d + met / (d * d);
      k[order[p]][item] = w[p] / d / own;
      k[item][order[p]] = w[p] / d / q[p][p];
    }
  }
  return k;
}

TEST(WideKernel, TheTailMeetsTheCoreAsTheFormulaSays) {
  Fit fit;
  for (const std::size_t core : {1, 33, 50}) {
    const Adaptive settings;
    const ItemGraph n = links(fit, settings, fit.levels.items);
    const WideOptions options{.core = core, .kept = 0, .links = 0};
    const Matrix expected = slow_twin(fit, settings, core);
    expect_near(dense(wide_kernel(n, fit.raters, settings, options, fit.resources())), expected);
    expect_near(
        dense(wide_ridge(n, fit.raters, settings, options, fit.resources()), fit.levels.items),
        expected);
  }
}

TEST(WideKernel, IsTheSameToTheBitOnAnyNumberOfThreads) {
  Fit one(1);
  Fit four(4);
  const Adaptive settings;
  const WideOptions options{.core = 40, .kept = 9, .links = 30};
  const ItemGraph a =
      wide_kernel(links(one, settings, 30), one.raters, settings, options, one.resources());
  const ItemGraph b =
      wide_kernel(links(four, settings, 30), four.raters, settings, options, four.resources());
  EXPECT_TRUE(std::ranges::equal(a.pattern.columns.span(), b.pattern.columns.span()));
  EXPECT_TRUE(std::ranges::equal(a.values.span(), b.values.span()));
}

TEST(WideKernel, KeepsTheLargestWeightsOfEachItem) {
  Fit fit;
  const Adaptive settings{.source_power = 0};
  const ItemGraph n = links(fit, settings, fit.levels.items);
  const Matrix all = dense(wide_kernel(n, fit.raters, settings, {.core = 50}, fit.resources()));
  const Matrix few =
      dense(wide_kernel(n, fit.raters, settings, {.core = 50, .kept = 5}, fit.resources()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    double least_kept = 1e30;
    double largest_lost = 0;
    std::size_t kept = 0;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (few[j][i] != 0) {
        EXPECT_EQ(few[j][i], all[j][i]);
        least_kept = std::min(least_kept, std::abs(all[j][i]));
        ++kept;
      } else {
        largest_lost = std::max(largest_lost, std::abs(all[j][i]));
      }
    }
    EXPECT_LE(kept, 5U);
    EXPECT_TRUE(kept < 5 || least_kept >= largest_lost);
  }
}

TEST(WideKernel, WhatItPlansFitsTheMemory) {
  for (const std::size_t items : {20'000, 40'000, 200'000}) {
    for (const double bytes : {1e9, 4e9, 16e9}) {
      const WideOptions options = wide_options(items, bytes);
      const auto core = static_cast<double>(options.core);
      const auto entries = static_cast<double>(items);
      const double needed = core * core * 4 + entries * static_cast<double>(options.kept) * 40 +
                            entries * static_cast<double>(options.links) * 16;
      EXPECT_LE(needed, 1.3 * bytes) << items << " items in " << bytes;
      EXPECT_GE(options.core, 1000U);
    }
  }
}

TEST(Strongest, DoesNotDependOnTheOrderOfOffers) {
  std::vector<Strongest::Entry> entries;
  for (std::uint32_t k = 0; k < 100; ++k) {
    const auto value = static_cast<float>(k % 7) - 3;  // many are equal
    entries.push_back({std::abs(value), value, k});
  }
  Strongest forwards(10);
  Strongest backwards(10);
  for (const auto& e : entries) forwards.offer(e.strength, e.value, e.index);
  std::ranges::reverse(entries);
  for (const auto& e : entries) backwards.offer(e.strength, e.value, e.index);
  const auto a = forwards.sorted();
  const auto b = backwards.sorted();
  ASSERT_EQ(a.size(), 10U);
  ASSERT_EQ(b.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(a[k].index, b[k].index);
}

}  // namespace
}  // namespace palate
