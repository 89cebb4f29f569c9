// Powers of the graph applied to several people at once.
#include "graph/panel_filter.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "support/random_ratings.hpp"
#include "support/slow_twin.hpp"

namespace palate {
namespace {

using kernels::panel_width;
using testing::Matrix;

class PanelFilterTest : public ::testing::Test {
 protected:
  PanelFilterTest() {
    ThreadPool pool(1);
    const Ratings ratings = testing::random_ratings({.users = 60, .items = 40}, 8);
    graph_ = build_item_graph(ratings, 0b1111, pool);
  }

  using Signal = std::vector<std::pair<std::uint32_t, float>>;

  static Signal random_signal(std::uint64_t seed) {
    Random random(seed);
    Signal out;
    for (std::uint32_t i = 0; i < 40; ++i) {
      if (random.uniform() < 0.2) out.emplace_back(i, static_cast<float>(random.normal()));
    }
    return out;
  }

  // [k - 1][item * panel_width + lane]
  std::vector<std::vector<float>> run(PanelFilter& filter, const std::vector<Signal>& signals,
                                      std::size_t order) {
    for (std::size_t lane = 0; lane < signals.size(); ++lane) {
      for (const auto& [item, x] : signals[lane]) filter.set(lane, item, x);
    }
    std::vector<std::vector<float>> out;
    filter.apply(graph_.pattern, graph_.values.span(), order,
                 [&](std::size_t k, const float* panel) {
                   EXPECT_EQ(k, out.size() + 1);
                   out.emplace_back(panel, panel + 40 * panel_width);
                 });
    return out;
  }

  ItemGraph graph_;
};

TEST_F(PanelFilterTest, GivesThePowersOfTheGraph) {
  Matrix p = testing::zeros(40, 40);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t k = 0; k < graph_.pattern.row(i).size(); ++k) {
      p[i][graph_.pattern.row(i)[k]] =
          static_cast<double>(graph_.values[graph_.pattern.offsets[i] + k]);
    }
  }
  std::vector<Signal> signals;
  for (std::size_t lane = 0; lane < panel_width; ++lane) signals.push_back(random_signal(lane + 1));
  PanelFilter filter(40);
  const auto powers = run(filter, signals, 3);
  ASSERT_EQ(powers.size(), 3U);
  for (std::size_t lane = 0; lane < panel_width; ++lane) {
    Matrix x = testing::zeros(1, 40);
    for (const auto& [item, value] : signals[lane]) x[0][item] = static_cast<double>(value);
    for (std::size_t k = 0; k < 3; ++k) {
      x = testing::multiply(x, p);
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_NEAR(static_cast<double>(powers[k][i * panel_width + lane]), x[0][i], 1e-5);
      }
    }
  }
}

TEST_F(PanelFilterTest, OneLaneDoesNotChangeAnother) {
  PanelFilter filter(40);
  const auto alone = run(filter, {random_signal(1)}, 2);
  const auto crowd = run(filter, {random_signal(1), random_signal(2), random_signal(3)}, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(alone[k][i * panel_width], crowd[k][i * panel_width]);
    }
  }
}

TEST_F(PanelFilterTest, KeepsNothingOfTheSignalsBefore) {
  PanelFilter used(40);
  static_cast<void>(run(used, {random_signal(1), random_signal(2)}, 3));
  PanelFilter fresh(40);
  EXPECT_EQ(run(used, {random_signal(7)}, 2), run(fresh, {random_signal(7)}, 2));
}

TEST_F(PanelFilterTest, NoSignalGivesZeros) {
  PanelFilter filter(40);
  for (const auto& panel : run(filter, {}, 2)) {
    EXPECT_EQ(panel, std::vector<float>(40 * panel_width, 0.0F));
  }
}

}  // namespace
}  // namespace palate
