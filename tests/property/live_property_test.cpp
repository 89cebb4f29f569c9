// After any sequence of changes a live model gives what a model fitted on the same ratings gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "palate/palate.hpp"
#include "support/history.hpp"

namespace palate {
namespace {

using testing::criterion_names;
using testing::History;
using testing::RandomShape;
using testing::Truth;

std::map<std::string, double> scores_of(const Recommendations& list) {
  std::map<std::string, double> out;
  for (const Recommended& one : list.items) {
    EXPECT_TRUE(std::isfinite(one.score));
    EXPECT_TRUE(out.emplace(one.item, one.score).second) << one.item << " twice";
  }
  return out;
}

double largest_of(const std::map<std::string, double>& scores) {
  double largest = 0;
  for (const auto& [item, score] : scores) largest = std::max(largest, std::abs(score));
  return largest;
}

// A short list is a best one by the scores of all items.
void expect_best(const Recommendations& list, const std::map<std::string, double>& scores,
                 const std::set<std::string>& seen, double close) {
  std::vector<double> best;
  for (const auto& [item, score] : scores) {
    if (!seen.contains(item)) best.push_back(score);
  }
  std::sort(best.rbegin(), best.rend());
  ASSERT_EQ(list.items.size(), std::min<std::size_t>(5, best.size()));
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    ASSERT_FALSE(seen.contains(list.items[k].item));
    ASSERT_NEAR(scores.at(list.items[k].item), best[k], 2 * close + 1e-4 * std::abs(best[k]))
        << "place " << k;
  }
}

void expect_like_refit(const LiveSnapshot& live, const Truth& truth, const CaGf& settings) {
  ASSERT_EQ(live.users(), truth.users.size());
  ASSERT_EQ(live.items(), truth.items.size());
  ASSERT_EQ(live.interactions(), truth.ratings.size());
  if (truth.ratings.empty()) return;
  const Model model = fit(truth.build(), settings, {.threads = 1});
  const RecommendOptions all{.top = 100000, .exclude_seen = false};
  for (const std::string& user : truth.users) {
    SCOPED_TRACE(user);
    const Recommendations theirs = model.recommend(user, all);
    const Recommendations mine = live.recommend(user, all);
    ASSERT_EQ(mine.basis, theirs.basis);
    const auto expected = scores_of(theirs);
    const auto scores = scores_of(mine);
    ASSERT_EQ(scores.size(), expected.size());
    const double close = 2e-6 * largest_of(expected);
    for (const auto& [item, score] : expected) {
      ASSERT_TRUE(scores.contains(item)) << item;
      ASSERT_NEAR(scores.at(item), score, close + 1e-4 * std::abs(score)) << item;
    }
    std::set<std::string> seen;
    for (const auto& [key, values] : truth.ratings) {
      if (key.first == user && !std::isnan(values[0])) seen.insert(key.second);
    }
    expect_best(live.recommend(user, {.top = 5}), expected, seen, close);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

struct Case {
  const char* name;
  RandomShape shape;
  const char* storage;
  std::vector<Filter> filters;  // by criterion, in turn
  Variant variant = Variant::full;
  Solver fitted_with = Solver::exact;  // live answers are exact whatever it was
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

CaGf settings_of(const Case& one) {
  CaGf settings{.preference = 2.0, .variant = one.variant, .computing = {.solver = Solver::exact}};
  const auto names = criterion_names(one.shape.criteria);
  for (std::size_t c = 0; c < names.size(); ++c) {
    settings.filters.push_back({names[c], one.filters[c % one.filters.size()]});
  }
  return settings;
}

class LiveModelOf : public ::testing::TestWithParam<Case> {
 protected:
  LiveModelOf() : history_(GetParam().shape), truth_(history_.truth), random_(7) {}

  [[nodiscard]] Model fitted() const {
    CaGf settings = settings_of(GetParam());
    settings.computing.solver = GetParam().fitted_with;
    return fit(truth_.build(), settings);
  }
  void happen(LiveModel& live) { history_.happen(live); }

  History history_;
  Truth& truth_;
  Random random_;
};

TEST_P(LiveModelOf, ScoresAsOneFittedOnTheSameRatings) {
  const Model model = fitted();
  ASSERT_EQ(model.info().storage, GetParam().storage);
  LiveModel live(model);
  expect_like_refit(live.snapshot(), truth_, settings_of(GetParam()));
  for (int step = 0; step < 60 && !HasFatalFailure(); ++step) {
    happen(live);
    if (step % 6 != 5) continue;
    SCOPED_TRACE("step " + std::to_string(step));
    live.follow();
    expect_like_refit(live.snapshot(), truth_, settings_of(GetParam()));
  }
}

TEST_P(LiveModelOf, ComesBackFromNothing) {
  LiveModel live(fitted());
  const Truth before = truth_;
  std::vector<std::pair<std::string, std::string>> order;
  for (const auto& [key, values] : truth_.ratings) order.push_back(key);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random_.below(k)]);
  for (std::size_t k = 0; k < order.size(); ++k) {
    live.apply(std::vector<RatingChange>{{order[k].first, order[k].second, {}}});
    truth_.ratings.erase(order[k]);
    if (k + 3 == order.size() || k + 12 == order.size() || k + 1 == order.size()) {
      SCOPED_TRACE("left " + std::to_string(truth_.ratings.size()));
      expect_like_refit(live.snapshot(), truth_, settings_of(GetParam()));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_EQ(live.snapshot().info().graph_entries, 0U);
  for (const std::string& user : truth_.users) {
    EXPECT_EQ(live.snapshot().recommend(user).basis, Basis::popularity);
  }
  // Everything again, at once.
  std::vector<RatingChange> all;
  for (const auto& [key, values] : before.ratings) all.push_back({key.first, key.second, values});
  live.apply(all);
  expect_like_refit(live.snapshot(), before, settings_of(GetParam()));
}

TEST_P(LiveModelOf, ExplainsItsScores) {
  LiveModel live(fitted());
  for (int step = 0; step < 30; ++step) happen(live);
  const LiveSnapshot now = live.snapshot();
  const RecommendOptions options{.top = 3, .weights = {{"overall", 2.0}, {"c1", 0.5}}};
  std::size_t explained = 0;
  for (const std::string& user : truth_.users) {
    const Recommendations list = now.recommend(user, options);
    std::vector<std::string> items;
    for (const Recommended& one : list.items) items.push_back(one.item);
    const auto rows = now.attributions(user, items, options);
    for (std::size_t k = 0; k < items.size(); ++k) {
      const Explanation why = now.explain(user, items[k], options);
      const auto score = static_cast<double>(list.items[k].score);
      const auto [parts, size] = testing::sum_of_parts(why);
      double by_criterion = static_cast<double>(list.items[k].dialled);
      for (std::size_t c = 0; c < rows[k].size(); ++c) {
        by_criterion += rows[k][c];
        if (why.basis == Basis::ratings) {
          EXPECT_NEAR(rows[k][c], why.by_criterion[c], 1e-5 * size);
        }
      }
      EXPECT_NEAR(why.score, score, 1e-5 * size);
      EXPECT_NEAR(parts, why.score, 1e-9 * size);
      EXPECT_NEAR(by_criterion, score, 1e-5 * size);
      ++explained;
    }
  }
  EXPECT_GT(explained, 10U);
}

const RandomShape many_links{.users = 40, .items = 45, .criteria = 4, .density = 0.15};
const RandomShape few_links{
    .users = 120, .items = 220, .criteria = 3, .density = 0.008, .missing = 0.1};

INSTANTIATE_TEST_SUITE_P(
    Forms, LiveModelOf,
    ::testing::Values(
        Case{"dense",
             many_links,
             "dense",
             {outward(0.85), linear(0.6), inward(1.5)},
             Variant::full,
             Solver::fast},
        Case{"whole", many_links, "whole", {outward(0.85), linear(0.6), inward(1.5)}},
        Case{"whole_small_power", many_links, "whole", {inward(0.1), outward(0.3)}},
        Case{"whole_large_power", many_links, "whole", {outward(4.0), inward(1.0), linear(1.0)}},
        Case{"dense_first_order", many_links, "dense", {linear(0.8), linear(1.2)}},
        Case{"whole_negative", many_links, "whole", {{{1.0, -2.5}, 0.9}, {{-0.5, 1.0}, 0.7}}},
        Case{"whole_third_order", many_links, "whole", {{{0.7, 0.1, -0.01}, 0.7}, outward(0.85)}},
        Case{"whole_per_criterion",
             many_links,
             "whole",
             {outward(0.85), linear(0.6)},
             Variant::graph_per_criterion},
        Case{"whole_overall",
             many_links,
             "whole",
             {outward(0.85), linear(0.6)},
             Variant::overall_graph},
        Case{"sparse", few_links, "sparse", {outward(0.85), linear(0.6), inward(1.5)}},
        Case{"sparse_small_power", few_links, "sparse", {inward(0.1), outward(0.3)}},
        Case{"sparse_third_order", few_links, "sparse", {{{0.7, 0.1, -0.01}, 0.7}, outward(1.0)}},
        Case{"sparse_per_criterion",
             few_links,
             "sparse",
             {outward(1.2), linear(0.6)},
             Variant::graph_per_criterion}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace palate
