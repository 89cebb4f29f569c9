// Links count the ratings of the state they are made for, however it came to be.
#include "live/graph_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/live/followed.hpp"

namespace palate::live {
namespace {

using testing::Followed;

// The links of every graph are those that the ratings give, to `close` of each sum, no link is
// missing and none is left over.
void expect_links(const Followed& live, double close) {
  const State& state = live.state();
  std::vector<std::uint32_t> buffer;
  for (std::size_t g = 0; g < state.links->graphs.size(); ++g) {
    SCOPED_TRACE("graph " + std::to_string(g));
    const Graph& graph = state.links->graphs[g];
    const auto n = live.sums(state.base->plan->graphs[g]);
    const auto d = live.item_sums(state.base->plan->graphs[g]);
    std::size_t entries = 0;
    for (std::uint32_t i = 0; i < state.items(); ++i) {
      const Row& row = graph.rows[i];
      const auto columns = columns_of(row, buffer);
      std::vector<double> found(state.items(), 0.0);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        found[columns[k]] = std::exp2(static_cast<double>(row.logs[k]));
      }
      entries += columns.size();
      for (std::size_t j = 0; j < found.size(); ++j) {
        ASSERT_NEAR(found[j], n[i][j], close * n[i][j]) << i << " and " << j;
      }
      const double shift = d[i] > 0 ? -0.5 * std::log2(d[i]) : 0.0;
      ASSERT_NEAR(static_cast<double>((*graph.shift)[i]), shift, 1e-6) << i;
    }
    EXPECT_EQ(graph.entries, entries);
  }
}

class LinksOf : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] Followed live(std::uint64_t seed) const {
    return {
        GetParam() ? testing::many_links : testing::few_links, {outward(0.85), linear(0.6)}, seed};
  }
};

TEST_P(LinksOf, CountTheRatingsAfterAnyChange) {
  Followed live = this->live(3);
  expect_links(live, 2e-6);
  for (int step = 0; step < 60 && !HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    live.change(3);
    if (step % 10 == 9) expect_links(live, 1e-5);
  }
}

// Of whoever rated more than that, as many as that, and the same ones however they came.
TEST_P(LinksOf, CountNoMoreOfOnePersonThanTheBound) {
  constexpr std::size_t most = 4;
  Followed live(GetParam() ? testing::many_links : testing::few_links, {outward(0.85), linear(0.6)},
                6, most);
  expect_links(live, 2e-6);
  for (int step = 0; step < 40 && !HasFailure(); ++step) {
    live.change(3);
    if (step % 10 == 9) expect_links(live, 1e-5);
  }
  std::size_t bounded = 0;
  const State& state = live.state();
  for (std::size_t u = 0; u < state.users.size(); ++u) {
    const User& user = state.users[u];
    EXPECT_EQ(user.for_others().size(), std::min(most, user.ratings.size()));
    bounded += user.learned ? 1 : 0;
  }
  EXPECT_GT(bounded, 0U);
}

// What is left of a sum is small beside what it was: it must not be the rounding of that.
TEST_P(LinksOf, OfWhatHasFadedAreStillRight) {
  Followed live = this->live(4);
  for (std::uint32_t item = 0; item < 6; ++item) live.fade(item, item % 3);
  expect_links(live, 1e-5);
}

// More than a quarter of all pairs at once: everything is summed up anew.
TEST_P(LinksOf, FollowManyChangesAtOnce) {
  Followed live = this->live(5);
  live.change(400);
  expect_links(live, 2e-6);
}

// Whoever holds links keeps what they were.
TEST_P(LinksOf, ThatWereHandedOutDoNotChange) {
  Followed live = this->live(6);
  const std::shared_ptr<const Links> held = live.state().links;
  std::vector<std::vector<float>> logs;
  for (std::size_t i = 0; i < held->items; ++i) {
    const Row& row = held->graphs[0].rows[i];
    logs.emplace_back(row.logs, row.logs + link_count(row));
  }
  for (int step = 0; step < 20; ++step) live.change(3);
  for (std::size_t i = 0; i < held->items; ++i) {
    const Row& row = held->graphs[0].rows[i];
    EXPECT_EQ(std::vector<float>(row.logs, row.logs + link_count(row)), logs[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, LinksOf, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "dense" : "sparse"; });

}  // namespace
}  // namespace palate::live
