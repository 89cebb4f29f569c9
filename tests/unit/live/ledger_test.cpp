// The sums over ratings that are not links follow every change.
#include "live/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/live/followed.hpp"

namespace palate::live {
namespace {

using testing::Followed;

// Everything the ledger keeps, counted anew.
void expect_sums(const State& state) {
  const std::size_t width = state.base->criteria();
  std::vector<Total> totals(state.items() * width);
  std::vector<std::vector<std::uint32_t>> raters(state.items());
  std::vector<double> t(width * width, 0.0);
  std::size_t interactions = 0;
  for (std::uint32_t u = 0; u < state.users.size(); ++u) {
    const UserRatings& row = state.users[u].ratings;
    interactions += row.size();
    for (std::size_t k = 0; k < row.size(); ++k) {
      raters[row.items[k]].push_back(u);
      for (std::size_t c = 0; c < width; ++c) {
        if ((row.present[k] >> c & 1U) == 0) continue;
        Total& total = totals[row.items[k] * width + c];
        total.sum += static_cast<double>(row.values[k * width + c]);
        ++total.count;
      }
    }
    std::vector<double> share(width);
    CriteriaPreference::shares(row, share);
    for (std::size_t a = 0; a < width; ++a) {
      for (std::size_t b = 0; b < width; ++b) t[a * width + b] += share[a] * share[b];
    }
  }
  EXPECT_EQ(state.interactions, interactions);
  for (std::size_t i = 0; i < state.items(); ++i) {
    SCOPED_TRACE("item " + std::to_string(i));
    EXPECT_EQ(*state.raters[i], raters[i]);
    EXPECT_EQ((*state.rater_counts)[i], static_cast<float>(totals[i * width].count));
    for (std::size_t c = 0; c < width; ++c) {
      EXPECT_EQ(state.total(i, c).count, totals[i * width + c].count);
      EXPECT_NEAR(state.total(i, c).sum, totals[i * width + c].sum,
                  1e-9 * totals[i * width + c].sum);
    }
  }
  const auto fresh =
      CriteriaPreference::from_sums(width, t, *state.base->plan->preference).adjusted();
  const auto& kept = state.preference.adjusted();
  ASSERT_EQ(kept.size(), fresh.size());
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_NEAR(kept[k], fresh[k], 1e-8 * fresh[k]);
}

TEST(Ledger, FollowsEveryChange) {
  Followed live(testing::many_links, {outward(0.85)}, 3);
  expect_sums(live.state());
  for (int step = 0; step < 60 && !HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    live.change(1 + static_cast<std::size_t>(step) % 5);
    expect_sums(live.state());
  }
}

TEST(Ledger, ComesBackFromAlmostNothing) {
  Followed live(testing::few_links, {outward(0.85)}, 4);
  for (std::uint32_t item = 0; item < live.state().base->ratings.items(); ++item) {
    live.fade(item, item == 7 ? 1 : 0);
  }
  expect_sums(live.state());
  live.change(20);
  expect_sums(live.state());
}

// Ratings of very different size on one item: when the large one goes, the small one must be left.
TEST(Ledger, KeepsWhatIsSmallBesideWhatHasGone) {
  State state;
  RatingsBuilder builder(testing::criterion_names(1));
  builder.add("a", "item", std::vector<float>{1e12F});
  builder.add("b", "item", std::vector<float>{0.1F});
  builder.add("b", "other", std::vector<float>{1.0F});
  const Ratings ratings = builder.build();
  ThreadPool pool(1);
  const auto model = testing::fitted(ratings, {.filters = {{"overall", linear()}}}, pool, 0, 0);
  state = first_state(make_base(ratings, *model));
  Ledger ledger(state);
  std::vector<std::uint32_t> changed;
  state.version = 1;
  const auto user = state.find_user("a");
  const auto item = state.find_item("item");
  ASSERT_TRUE(user && item);
  ledger.change(state, *user, std::make_shared<const OwnedRatings>(), changed);
  EXPECT_EQ(changed, std::vector<std::uint32_t>{*item});
  EXPECT_EQ(state.total(*item, 0).count, 1U);
  EXPECT_EQ(state.total(*item, 0).sum, static_cast<double>(0.1F));
}

}  // namespace
}  // namespace palate::live
