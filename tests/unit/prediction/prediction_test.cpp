// What a person would rate, and how well that is told.
#include "prediction/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/random_ratings.hpp"

namespace palate {
namespace {

TotalOf totals_of(const Ratings& ratings) {
  std::vector<ItemTotal> totals(ratings.items() * ratings.criteria().size());
  const std::size_t width = ratings.criteria().size();
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings row = ratings.of(user);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      if ((row.present[k / width] >> (k % width) & 1U) == 0) continue;
      ItemTotal& total = totals[row.items[k / width] * width + k % width];
      total.sum += static_cast<double>(row.values[k]);
      ++total.count;
    }
  }
  return [totals, width](std::uint32_t item, std::size_t c) { return totals[item * width + c]; };
}

std::vector<PredictionRule> learned(const Ratings& ratings) {
  std::vector<std::uint32_t> people(ratings.users());
  std::iota(people.begin(), people.end(), 0U);
  ThreadPool pool(2);
  return learn_rules({people, [&](std::uint32_t user) { return ratings.of(user); }, ratings.items(),
                      ratings.criteria(), totals_of(ratings)},
                     pool);
}

// Overall: what the item is worth, and how generous the person is. "noise": anything.
Ratings generous_and_stingy() {
  Random random(3);
  RatingsBuilder builder({"overall", "noise"});
  for (int user = 0; user < 120; ++user) {
    for (int item = 0; item < 60; ++item) {
      if (random.uniform() < 0.6) continue;
      const auto noise = static_cast<float>(1 + random.below(5));
      const std::vector<float> values = {
          3.0F + (user % 2 == 0 ? 1.0F : -1.0F) + (item % 2 == 0 ? 0.5F : -0.5F), noise};
      builder.add("u" + std::to_string(user), "i" + std::to_string(item), values);
    }
  }
  return builder.build();
}

TEST(Prediction, IsTheMeanAndTwoOffsetsDrawnToZeroWithinTheScale) {
  const Ratings ratings = generous_and_stingy();
  const std::vector<PredictionRule> rules = {
      {.mean = 3, .item_prior = 2, .user_prior = 4, .mae = 0.1, .trivial_mae = 0.2, .ratings = 99},
      {.mean = 3, .mae = 0.2, .trivial_mae = 0.2, .ratings = 99}};
  const TotalOf total = totals_of(ratings);
  const Predictor predictor(rules, ratings.criteria(), total);
  const UserRatings row = ratings.of(7);
  const auto item_offset = [&](std::uint32_t item) {
    const auto n = static_cast<double>(total(item, 0).count);
    return (total(item, 0).sum - 3 * n) / (n + 2);
  };
  double own = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    own += static_cast<double>(row.values[2 * k]) - 3 - item_offset(row.items[k]);
  }
  own /= static_cast<double>(row.size()) + 4;
  const auto predict = [&](const Predictor& by, std::span<const float> offsets) {
    std::vector<float> out(2);
    by.predict(offsets, 5, out);
    return out;
  };
  const std::vector<float> guess = predict(predictor, predictor.offsets(row));
  EXPECT_NEAR(guess[0], 3 + item_offset(5) + own, 1e-5);
  EXPECT_TRUE(std::isnan(guess[1])) << "no better than a plain guess";
  EXPECT_EQ(predict(predictor, std::vector<float>{100, 0})[0], ratings.criteria()[0].max);
  // Who has rated nothing gets what the item is rated.
  EXPECT_NEAR(predict(predictor, predictor.offsets({}))[0], 3 + item_offset(5), 1e-5);
  // Levels worked out beforehand are the same.
  const std::vector<float> levels = predictor.levels(ratings.items());
  const Predictor quick(rules, ratings.criteria(), total, levels);
  EXPECT_EQ(predict(quick, quick.offsets(row))[0], guess[0]);
}

TEST(Prediction, IsLeftOutWhereNoRuleHolds) {
  const std::vector<PredictionRule> rules(2);
  const Ratings ratings = generous_and_stingy();
  const Predictor predictor(rules, ratings.criteria(), totals_of(ratings));
  EXPECT_FALSE(predictor.any());
}

TEST(LearnedRules, FindWhatThereIsToFindAndItsError) {
  const std::vector<PredictionRule> rules = learned(generous_and_stingy());
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_TRUE(rules[0].holds());
  EXPECT_LT(rules[0].mae, 0.2);
  EXPECT_NEAR(rules[0].trivial_mae, 0.5, 0.05) << "the mean of the person";
  EXPECT_LT(rules[0].user_prior, 1.1);
  EXPECT_GT(rules[1].item_prior, 9) << "there is nothing in noise";
  EXPECT_GT(rules[0].ratings, 150U);
}

TEST(LearnedRules, ShowNothingWhereThereIsLittle) {
  const Ratings few = testing::random_ratings({.users = 6, .items = 5}, 2);
  for (const PredictionRule& rule : learned(few)) EXPECT_FALSE(rule.holds());
}

TEST(LearnedRules, DoNotDependOnTheOrderOfRows) {
  const testing::RandomShape shape{.users = 40, .items = 30};
  std::vector<testing::Row> rows = testing::random_rows(shape, 9);
  const std::vector<PredictionRule> first = learned(testing::to_ratings(rows, shape));
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(learned(testing::to_ratings(rows, shape)), first);
}

TEST(MeasuredRules, JudgeOnRatingsNotSeen) {
  const Ratings ratings = generous_and_stingy();
  const std::vector<PredictionRule> rules = learned(ratings);
  std::vector<std::uint32_t> people(ratings.users());
  std::iota(people.begin(), people.end(), 0U);
  const RowOf row = [&](std::uint32_t user) { return ratings.of(user); };
  const auto measured = measure_rules(
      rules, {people, row, ratings.items(), ratings.criteria(), totals_of(ratings)}, row);
  EXPECT_EQ(measured[0].ratings, ratings.interactions());
  EXPECT_LT(measured[0].mae, rules[0].mae);
  EXPECT_NEAR(measured[0].trivial_mae, 0.5, 0.02);
}

}  // namespace
}  // namespace palate
