// What bounds second orders on a live graph is never too small, and not much too large, whatever
// has changed since it was measured.
#include "live/bound_keeper.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/live/followed.hpp"

namespace palate::live {
namespace {

using testing::Followed;

struct Case {
  const char* name;
  testing::RandomShape shape;
  bool dense;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class BoundsOf : public ::testing::TestWithParam<Case> {};

// Q = P / (r r), from the ratings.
testing::DoubleMatrix true_rows(const Followed& live, std::size_t values) {
  const State& state = live.state();
  const auto& [graph, power] = state.base->plan->powers[values];
  const CriterionSet criteria = state.base->plan->graphs[graph];
  testing::DoubleMatrix rows = live.sums(criteria);
  const std::vector<double> d = live.item_sums(criteria);
  const std::vector<float>& ratio = *state.links->bounds[values].ratio;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[i][j] <= 0) continue;
      rows[i][j] = std::pow(rows[i][j] / std::sqrt(d[i] * d[j]), power) /
                   (static_cast<double>(ratio[i]) * static_cast<double>(ratio[j]));
    }
  }
  return rows;
}

void expect_bounds(const Followed& live, std::size_t values) {
  const State& state = live.state();
  const Bounds& bounds = state.links->bounds[values];
  const auto& panels = state.base->directions[values];
  testing::DoubleMatrix rows = true_rows(live, values);
  double longest = 0;
  for (std::uint32_t i = 0; i < state.items(); ++i) {
    SCOPED_TRACE("place " + std::to_string(i));
    std::vector<double>& q = rows[i];
    const BoundBlock& block = bounds.blocks[i / block_width];
    const std::size_t lane = i % block_width;
    const auto ratio = static_cast<double>((*bounds.ratio)[i]);
    if (!state.base->dense) {
      EXPECT_NEAR(static_cast<double>(block.diagonal[lane]), q[i], 2e-5 * q[i]);
      q[i] = 0;
    }
    double whole = 0;
    for (const double one : q) whole += one * one;
    double inside = 0;
    for (std::size_t r = 0; r < panels.size() * block_width; ++r) {
      const std::vector<float>& panel = panels[r / block_width];
      double u = 0;
      for (std::size_t j = 0; j < q.size() && (j + 1) * block_width <= panel.size(); ++j) {
        u += q[j] * static_cast<double>(panel[j * block_width + r % block_width]);
      }
      inside += u * u;
      EXPECT_NEAR(static_cast<double>(block.directions[r * block_width + lane]), u,
                  1e-4 * std::sqrt(whole));
    }
    const auto length = static_cast<double>(block.lengths[lane]);
    const auto outside = static_cast<double>(block.outside[lane]);
    const auto reach = static_cast<double>((*bounds.reach)[i]);
    const double rest = std::max(0.0, whole - inside);
    // Never too small ...
    EXPECT_GE(length, std::sqrt(whole));
    EXPECT_GE(outside, std::sqrt(rest));
    EXPECT_GE(reach, ratio * std::sqrt(whole));
    // ... and of use: a length is right to a part in ten thousand, what lies outside to a part in
    // five thousand of the square.
    EXPECT_LE(length, std::sqrt(whole) * 1.0001 + 1e-30);
    EXPECT_LE(outside * outside, rest + 2e-4 * whole + 1e-30);
    EXPECT_LE(reach, ratio * length * 1.00001 + 1e-30);
    longest = std::max(longest, ratio * outside);
  }
  if (!state.base->dense) {
    EXPECT_GE(static_cast<double>(bounds.longest) * 1.000001, longest);
  }
}

void expect_all_bounds(const Followed& live) {
  std::size_t kept = 0;
  for (std::size_t v = 0; v < live.state().base->plan->powers.size(); ++v) {
    if (!live.state().base->bounds_needed(v)) continue;
    SCOPED_TRACE("values " + std::to_string(v));
    expect_bounds(live, v);
    ++kept;
  }
  EXPECT_GE(kept, 2U);
}

TEST_P(BoundsOf, HoldAfterAnyChange) {
  Followed live(GetParam().shape, {outward(0.85), linear(0.6), inward(1.5)}, 5);
  ASSERT_EQ(live.state().base->dense, GetParam().dense);
  expect_all_bounds(live);
  for (int step = 0; step < 40 && !HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    live.change(3);
    if (step % 8 == 7) expect_all_bounds(live);
  }
}

// The shift of an item whose raters leave moves far from the one that it was normalised by.
TEST_P(BoundsOf, HoldForAnItemThatFades) {
  Followed live(GetParam().shape, {outward(0.85), inward(2.5)}, 6);
  std::uint32_t item = 0;
  for (std::uint32_t i = 0; i < live.state().items(); ++i) {
    if (live.state().raters[i]->size() > live.state().raters[item]->size()) item = i;
  }
  live.fade(item, 1);
  expect_all_bounds(live);
  live.change(10);
  expect_all_bounds(live);
}

INSTANTIATE_TEST_SUITE_P(Forms, BoundsOf,
                         ::testing::Values(Case{"dense", testing::many_links, true},
                                           Case{"sparse", testing::few_links, false}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace palate::live
