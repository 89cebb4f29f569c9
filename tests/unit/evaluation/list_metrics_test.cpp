#include "evaluation/list_metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace palate {
namespace {

enum Metric { recall, precision, hit_rate, ndcg, ndcg_paper, mrr, map };

TEST(ListMetrics, FollowTheirFormulas) {
  // Hits at ranks 2, 3 and 6 of 4 relevant items; measured at 5.
  const std::vector<std::uint8_t> hits = {0, 1, 1, 0, 0, 1};
  const auto m = measure_list(hits, 4, 5, Ideal(6));
  EXPECT_DOUBLE_EQ(m[recall], 2.0 / 4);
  EXPECT_DOUBLE_EQ(m[precision], 2.0 / 5);
  EXPECT_DOUBLE_EQ(m[hit_rate], 1);
  const double ideal = 1 + 1 / std::log2(3) + 1.0 / 2 + 1 / std::log2(5);
  EXPECT_DOUBLE_EQ(m[ndcg], (1 / std::log2(3) + 1.0 / 2) / ideal);
  const double ideal_paper = 1 + 1 + 1 / std::log2(3) + 1.0 / 2;
  EXPECT_DOUBLE_EQ(m[ndcg_paper], (1 + 1 / std::log2(3)) / ideal_paper);
  EXPECT_DOUBLE_EQ(m[mrr], 1.0 / 2);
  EXPECT_DOUBLE_EQ(m[map], (1.0 / 2 + 2.0 / 3) / 4);
}

TEST(ListMetrics, APerfectListIsWorthOne) {
  const auto m = measure_list(std::vector<std::uint8_t>{1, 1, 1}, 3, 3, Ideal(3));
  for (const double value : m) EXPECT_DOUBLE_EQ(value, 1);
}

TEST(ListMetrics, MoreRelevantItemsThanPlacesStillReachOne) {
  const auto m = measure_list(std::vector<std::uint8_t>{1, 1}, 50, 2, Ideal(2));
  EXPECT_DOUBLE_EQ(m[ndcg], 1);
  EXPECT_DOUBLE_EQ(m[ndcg_paper], 1);
  EXPECT_DOUBLE_EQ(m[map], 1);
  EXPECT_DOUBLE_EQ(m[recall], 2.0 / 50);
}

TEST(ListMetrics, NothingFoundIsWorthNothing) {
  for (const double value : measure_list({}, 3, 10, Ideal(10))) EXPECT_EQ(value, 0);
}

TEST(ListMetrics, TheTwoDiscountsDiffer) {
  EXPECT_DOUBLE_EQ(discount(1), 1);
  EXPECT_DOUBLE_EQ(discount(3), 0.5);
  EXPECT_DOUBLE_EQ(discount_paper(1), 1);
  EXPECT_DOUBLE_EQ(discount_paper(2), 1);
  EXPECT_DOUBLE_EQ(discount_paper(4), 0.5);
}

TEST(Gini, FromEqualToOneTakesAll) {
  EXPECT_DOUBLE_EQ(gini({3, 3, 3, 3}), 0);
  EXPECT_DOUBLE_EQ(gini({0, 0, 0, 8}), 0.75);  // (n - 1) / n
  EXPECT_DOUBLE_EQ(gini({3, 1}), 0.25);
  EXPECT_EQ(gini({0, 0}), 0);
  EXPECT_EQ(gini({}), 0);
}

}  // namespace
}  // namespace palate
