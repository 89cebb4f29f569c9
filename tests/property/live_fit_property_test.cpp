// Between two fits a live model gives everyone what the fitted model gives to a profile of their
// ratings of now; at a fit it catches up.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "palate/palate.hpp"
#include "support/history.hpp"

namespace palate {
namespace {

using testing::History;
using testing::Truth;

const testing::RandomShape shape{.users = 40, .items = 45, .criteria = 4, .density = 0.15};
const RecommendOptions everything{.top = 100'000, .exclude_seen = false};

struct Case {
  const char* name;
  Method method;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

// As far as the fitted model knows the items.
Profile profile_of(const std::string& user, const Truth& truth, const Model& model) {
  Profile out;
  const auto names = testing::criterion_names(shape.criteria);
  for (const auto& [key, values] : truth.ratings) {
    if (key.first != user || !model.knows_item(key.second)) continue;
    ProfileRating rating{key.second, {}};
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (!std::isnan(values[c])) rating.values.emplace_back(names[c], values[c]);
    }
    out.push_back(rating);
  }
  return out;
}

std::map<std::string, float> popularity(const Truth& truth) {
  std::map<std::string, float> out;
  for (const std::string& item : truth.items) out[item] = 0;
  for (const auto& [key, values] : truth.ratings) {
    if (!std::isnan(values[0])) ++out[key.second];
  }
  return out;
}

void expect_the_fit(const LiveSnapshot& live, const Truth& truth, const Model& model) {
  ASSERT_EQ(live.users(), truth.users.size());
  ASSERT_EQ(live.items(), truth.items.size());
  ASSERT_EQ(live.interactions(), truth.ratings.size());
  for (const std::string& user : truth.users) {
    SCOPED_TRACE(user);
    const Recommendations theirs = model.recommend_for(profile_of(user, truth, model), everything);
    const Recommendations mine = live.recommend(user, everything);
    ASSERT_EQ(mine.basis, theirs.basis);
    std::map<std::string, float> expected;
    if (mine.basis == Basis::popularity) {
      expected = popularity(truth);
    } else {
      for (const std::string& item : truth.items) expected[item] = 0;
      for (const Recommended& one : theirs.items) {
        if (truth.items.contains(one.item)) expected[one.item] = one.score;
      }
    }
    ASSERT_EQ(mine.items.size(), expected.size());
    for (std::size_t k = 0; k < mine.items.size(); ++k) {
      const Recommended& one = mine.items[k];
      ASSERT_TRUE(expected.contains(one.item)) << one.item;
      ASSERT_EQ(one.score, expected.at(one.item)) << one.item;
      if (k == 0) continue;
      const Recommended& before = mine.items[k - 1];
      ASSERT_TRUE(before.score > one.score ||
                  (before.score == one.score && before.index < one.index));
    }
    const Recommendations few = live.recommend(user, {.top = 7, .exclude_seen = false});
    ASSERT_EQ(few.items.size(), 7U);
    for (std::size_t k = 0; k < few.items.size(); ++k) {
      ASSERT_EQ(few.items[k].item, mine.items[k].item);
    }
  }
}

class LiveModelBetweenFits : public ::testing::TestWithParam<Case> {};

TEST_P(LiveModelBetweenFits, GivesTheFitForTheRatingsOfNow) {
  History history(shape);
  const Model model = fit(history.truth.build(), GetParam().method);
  LiveModel live(model);
  EXPECT_FALSE(live.follows());
  for (int step = 0; step < 60 && !HasFatalFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    if (step % 6 == 0) expect_the_fit(live.snapshot(), history.truth, model);
    history.happen(live);
  }
  EXPECT_GT(live.snapshot().behind(), 0U);
  const Model next = live.refit();
  const LiveModel again(next);
  EXPECT_EQ(again.snapshot().behind(), 0U);
  expect_the_fit(again.snapshot(), history.truth, fit(history.truth.build(), GetParam().method));
}

TEST_P(LiveModelBetweenFits, ExplainsItsScores) {
  History history(shape);
  LiveModel live(fit(history.truth.build(), GetParam().method));
  for (int step = 0; step < 40; ++step) history.happen(live);
  const LiveSnapshot now = live.snapshot();
  const std::vector<std::string> items(history.truth.items.begin(), history.truth.items.end());
  for (const std::string& user : history.truth.users) {
    std::map<std::string, float> scores;
    for (const Recommended& one : now.recommend(user, everything).items) {
      scores[one.item] = one.score;
    }
    const auto rows = now.attributions(user, items);
    for (std::size_t k = 0; k < items.size(); k += 7) {
      const Explanation why = now.explain(user, items[k]);
      const auto [parts, size] = testing::sum_of_parts(why);
      double by_criterion = 0;
      for (const double part : rows[k]) by_criterion += part;
      EXPECT_NEAR(parts, scores.at(items[k]), 1e-5 * size);
      EXPECT_NEAR(by_criterion, scores.at(items[k]), 1e-5 * size);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, LiveModelBetweenFits,
    ::testing::Values(
        Case{"adaptive_ridge", Method("adaptive")},
        Case{"adaptive_graph",
             Method("adaptive", {{"weights", "graph"}, {"signal", "overall"}, {"lambda", "2"}})},
        Case{"ease", Method("ease", {{"lambda", "20"}})},
        Case{"item_knn", Method("item-knn", {{"neighbours", "10"}})},
        Case{"strongest_links", CaGf{.other = outward(0.85), .computing = {.neighbours = 5}}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(LiveModelOfCounts, IsNeverBehind) {
  History history(shape);
  LiveModel live(fit(history.truth.build(), Method("popularity")));
  EXPECT_TRUE(live.follows());
  for (int step = 0; step < 60; ++step) {
    history.happen(live);
    const LiveSnapshot now = live.snapshot();
    ASSERT_EQ(now.behind(), 0U);
    ASSERT_EQ(now.graph_version(), now.version());
    const auto expected = popularity(history.truth);
    const Recommendations list = now.recommend(*history.truth.users.begin(), everything);
    ASSERT_EQ(list.items.size(), expected.size());
    for (const Recommended& one : list.items) ASSERT_EQ(one.score, expected.at(one.item));
  }
}

}  // namespace
}  // namespace palate
