#include "evaluation/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace palate {
namespace {

// Expected p-values are those of scipy.stats.wilcoxon 1.10.1: mode='exact', or mode='approx' with
// correction=True and zero_method='wilcox'.

TEST(Wilcoxon, ExactForFewDifferencesWithoutTies) {
  const std::vector<double> d = {0.12, -0.05, 0.31, 0.44, -0.17, 0.08, 0.26, 0.53, -0.02, 0.19};
  EXPECT_NEAR(wilcoxon_p_value(d), 0.048828125, 1e-15);
  std::vector<double> rising;
  for (int k = 1; k <= 25; ++k) rising.push_back(0.01 * k);
  EXPECT_NEAR(wilcoxon_p_value(rising), 5.960464477539063e-08, 1e-20);
}

TEST(Wilcoxon, NormalApproximationForMany) {
  std::vector<double> rising;
  for (int k = 1; k <= 26; ++k) rising.push_back(0.01 * k);
  EXPECT_NEAR(wilcoxon_p_value(rising), 8.803669768907941e-06, 1e-15);
  std::vector<double> mixed;
  for (int k = 0; k < 60; ++k) mixed.push_back(((k * 37) % 101 - 40) / 100.0);
  EXPECT_NEAR(wilcoxon_p_value(mixed), 0.02285823465265919, 1e-12);
}

TEST(Wilcoxon, TiesAndZeros) {
  const std::vector<double> d = {0.5,  -0.25, 0.25, 1.0, -0.5, 0.0,
                                 0.25, 0.75,  0.0,  0.5, 0.25, -0.25};
  EXPECT_NEAR(wilcoxon_p_value(d), 0.14711847126228034, 1e-12);
}

TEST(Wilcoxon, RoundedFractionsThatAreEqualTie) {
  const double third = static_cast<double>(1.0F / 3.0F);
  const double other = static_cast<double>(2.0F / 3.0F) - third;
  const std::vector<double> rounded = {third, -other, third, other, -third, other, 0.5};
  const std::vector<double> same = {1. / 3, -1. / 3, 1. / 3, 1. / 3, -1. / 3, 1. / 3, 0.5};
  EXPECT_DOUBLE_EQ(wilcoxon_p_value(rounded), wilcoxon_p_value(same));
}

TEST(Wilcoxon, NoDifferenceIsNoEvidence) {
  EXPECT_EQ(wilcoxon_p_value(std::vector<double>(30, 0.0)), 1);
  EXPECT_EQ(wilcoxon_p_value({}), 1);
}

TEST(Bootstrap, TheIntervalIsAboutTwoStandardErrorsWide) {
  Random random(3);
  std::vector<double> values;
  for (int k = 0; k < 2000; ++k) values.push_back(random.uniform());
  const auto [low, high] = bootstrap_interval(values, 2000, 0.95, 1);
  const double standard_error = std::sqrt(1.0 / 12 / 2000);
  EXPECT_NEAR(high - low, 2 * 1.96 * standard_error, 0.1 * standard_error * 2 * 1.96);
  EXPECT_LT(low, mean_of(values));
  EXPECT_GT(high, mean_of(values));
}

TEST(Bootstrap, IsTheSameOnEveryMachine) {
  const std::vector<double> values = {0.125, 0.25, 0.5, 1, 2};
  const auto interval = bootstrap_interval(values, 100, 0.9, 7);
  EXPECT_DOUBLE_EQ(interval.first, 0.35);
  EXPECT_DOUBLE_EQ(interval.second, 1.325);
}

TEST(Bootstrap, EqualValuesLeaveNoDoubt) {
  const auto [low, high] = bootstrap_interval(std::vector<double>(50, 0.25), 200, 0.95, 1);
  EXPECT_EQ(low, 0.25);
  EXPECT_EQ(high, 0.25);
}

}  // namespace
}  // namespace palate
