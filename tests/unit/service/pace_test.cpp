#include "server/service/pace.hpp"

#include <gtest/gtest.h>

namespace palate::server {
namespace {

constexpr double quick = 1e-4, slow = 0.05;  // seconds per change

void take(Pace& pace, std::size_t changes, double each) {
  pace.took(changes, static_cast<double>(changes) * each);
}

TEST(Pace, ManyChangesAreBetterFittedAndFewTakenIn) {
  Pace pace;
  pace.fitted(2);
  EXPECT_FALSE(pace.better_fitted(100));
  EXPECT_TRUE(pace.better_fitted(1'000'000));
}

TEST(Pace, WithoutAFitSoFarABulkIsTakenIn) {
  EXPECT_FALSE(Pace().better_fitted(3'000));
  EXPECT_TRUE(Pace().better_fitted(1'000'000));
}

// What a few changes cost is what every step costs, however many it takes.
TEST(Pace, StepsOfFewChangesSayNothing) {
  Pace pace;
  pace.fitted(2);
  for (int k = 0; k < 100; ++k) take(pace, 1, 1.0);
  EXPECT_FALSE(pace.better_fitted(500));
}

TEST(Pace, ASlowMomentPassesOnceChangesAreQuickAgain) {
  Pace pace;
  pace.fitted(2);
  for (int k = 0; k < 5; ++k) take(pace, Pace::enough_to_learn, slow);
  ASSERT_TRUE(pace.better_fitted(1'000));
  int steps = 0;
  for (; pace.better_fitted(1'000); ++steps) take(pace, Pace::enough_to_learn, quick);
  EXPECT_LT(steps, 20);
}

TEST(Pace, AFitEndsASlowMoment) {
  Pace pace;
  pace.fitted(2);
  for (int k = 0; k < 5; ++k) take(pace, Pace::enough_to_learn, slow);
  ASSERT_TRUE(pace.better_fitted(1'000));
  pace.fitted(2);
  EXPECT_FALSE(pace.better_fitted(1'000));
}

}  // namespace
}  // namespace palate::server
