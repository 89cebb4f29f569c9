#include <cmath>

#include "palate/evaluation.hpp"
#include "unit/evaluation/fixtures.hpp"

namespace palate {
namespace {

using test::expect_error;

Evaluation make_evaluation(const std::string& name, double shift) {
  Evaluation e;
  e.name = name;
  e.metrics = {"recall@5", "ndcg@5", "coverage@5"};
  e.per_user.resize(3);
  Random random(11);
  for (std::uint32_t u = 0; u < 400; ++u) {
    e.users.push_back(u * 2);
    const double value = random.uniform();
    e.per_user[0].push_back(static_cast<float>(value));
    e.per_user[1].push_back(static_cast<float>(value / 2 + shift * (random.uniform() + 0.1)));
  }
  return e;
}

TEST(Compare, FindsADifferenceWhereThereIsOne) {
  const std::vector<Evaluation> both = {make_evaluation("old", 0), make_evaluation("new", 0.1)};
  const auto differences = compare(both);
  ASSERT_EQ(differences.size(), 2U);  // coverage has no values per user
  EXPECT_EQ(differences[0].metric, "recall@5");
  EXPECT_EQ(differences[0].difference, 0);
  EXPECT_EQ(differences[0].p_value, 1);
  const Difference& ndcg = differences[1];
  EXPECT_EQ(ndcg.metric, "ndcg@5");
  EXPECT_EQ(ndcg.baseline, "old");
  EXPECT_EQ(ndcg.method, "new");
  EXPECT_EQ(ndcg.users, 400U);
  EXPECT_NEAR(ndcg.difference, ndcg.method_mean - ndcg.baseline_mean, 1e-12);
  EXPECT_NEAR(ndcg.difference, 0.06, 0.01);
  EXPECT_GT(ndcg.low, 0);
  EXPECT_LT(ndcg.low, ndcg.difference);
  EXPECT_GT(ndcg.high, ndcg.difference);
  EXPECT_LT(ndcg.p_value, 1e-6);
}

TEST(Compare, EachFurtherMethodWithTheFirstAndOnlyTheMetricsAskedFor) {
  const std::vector<Evaluation> three = {make_evaluation("a", 0), make_evaluation("b", 0.1),
                                         make_evaluation("c", 0.2)};
  const auto differences = compare(three, {.metrics = {"ndcg@5"}});
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].method, "b");
  EXPECT_EQ(differences[1].method, "c");
  EXPECT_EQ(differences[1].baseline, "a");
}

TEST(Compare, MoreConfidenceIsAWiderInterval) {
  const Evaluation e = make_evaluation("a", 0);
  const auto [low, high] = mean_interval(e, "recall@5", {.confidence = 0.8});
  const auto [lower, higher] = mean_interval(e, "recall@5", {.confidence = 0.99});
  EXPECT_LT(lower, low);
  EXPECT_GT(higher, high);
  EXPECT_EQ(mean_interval(e, "recall@5"), mean_interval(e, "recall@5"));
}

TEST(Compare, RefusesWhatCannotBePaired) {
  std::vector<Evaluation> both = {make_evaluation("a", 0), make_evaluation("b", 0.1)};
  expect_error(ErrorCode::usage, [&] { (void)compare(std::span(both).first(1)); });
  expect_error(ErrorCode::usage, [&] { (void)compare({}); });
  expect_error(ErrorCode::not_found, [&] { (void)compare(both, {.metrics = {"nonsense"}}); });
  expect_error(ErrorCode::not_found, [&] { (void)compare(both, {.metrics = {"coverage@5"}}); });
  expect_error(ErrorCode::not_found, [&] { (void)mean_interval(both[0], "coverage@5"); });
  for (const double confidence : {0.0, 1.0, -3.0, std::nan("")}) {
    expect_error(ErrorCode::usage, [&] { (void)compare(both, {.confidence = confidence}); });
  }
  expect_error(ErrorCode::usage, [&] { (void)compare(both, {.resamples = 0}); });
  both[1].users.back() += 1;
  expect_error(ErrorCode::usage, [&] { (void)compare(both); });
}

TEST(Compare, EvaluationsWithoutACommonMetric) {
  std::vector<Evaluation> both = {make_evaluation("a", 0), make_evaluation("b", 0.1)};
  both[1].metrics = {"recall@7", "ndcg@7", "coverage@7"};
  expect_error(ErrorCode::usage, [&] { (void)compare(both); });
}

}  // namespace
}  // namespace palate
