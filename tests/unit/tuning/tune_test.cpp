// The automatic choice of the adaptive filter's settings.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "unit/tuning/made_up.hpp"

namespace palate {
namespace {

using testing::made_up;
using testing::thrown_by;

constexpr auto chosen = testing::found_by<tune>;

TEST(Tune, IsTheSameForTheSameSeedOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 3U}) {
    const Choice other = tune(made_up(), {}, {.threads = threads});
    EXPECT_EQ(other.method, chosen().method);
    EXPECT_EQ(other.end, chosen().end);
    ASSERT_EQ(other.steps.size(), chosen().steps.size());
    for (std::size_t k = 0; k < other.steps.size(); ++k) {
      EXPECT_EQ(other.steps[k].value, chosen().steps[k].value) << other.steps[k].tried;
    }
  }
}

TEST(Tune, NeverEndsBelowWhatItBeganWith) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Ratings ratings = testing::random_ratings({.users = 80, .items = 40}, seed);
    const Choice choice = tune(ratings, {.seed = seed});
    EXPECT_GE(choice.end, choice.start);
    for (const Choice::Step& step : choice.steps) {
      const bool begun_with = step.tried.starts_with("EASE") || step.tried == "popularity" ||
                              step.tried.starts_with("plain");
      EXPECT_TRUE(!begun_with || choice.end >= step.value) << step.tried;
    }
  }
}

TEST(LargeTune, OfManyItemsEndsAboveTheSimpleWaysWithFewPeopleToo) {
  const Ratings ratings = synthesize({.users = 210,
                                      .items = 3100,
                                      .ratings_per_user = 60,
                                      .criteria = {"taste"},
                                      .popularity_skew = 0});
  ASSERT_GT(ratings.items(), 3000U) << "no longer searched on a part of them";
  const Choice choice = tune(ratings, {});
  ASSERT_FALSE(choice.against.empty());
  for (const Choice::Step& simple : choice.against) EXPECT_GE(choice.end, simple.value);
}

TEST(Tune, AStepIsTakenOnlyIfItGainsMoreThanItsStandardError) {
  for (const Choice::Step& step : chosen().steps) {
    EXPECT_TRUE(!step.taken || step.gain > step.error) << step.tried;
  }
}

TEST(Tune, SaysWhatEachPartGives) {
  ASSERT_FALSE(chosen().without.empty());
  for (const Choice::Step& part : chosen().without) {
    EXPECT_NEAR(part.value, chosen().end + part.gain, 1e-9) << part.tried;
  }
}

TEST(Tune, WithoutTimeTakesTheBestThatItBeganWith) {
  const Choice choice = tune(made_up(), {.seconds = 1e-9});
  EXPECT_LT(choice.steps.size(), chosen().steps.size());
  for (const Choice::Step& step : choice.steps) EXPECT_GE(choice.end, step.value) << step.tried;
}

TEST(Tune, TakesTheBestSoFarOnceThatIsEnough) {
  std::size_t asked = 0;
  const Choice choice = tune(made_up(), {.enough = [&] { return ++asked > 20; }});
  ASSERT_FALSE(choice.steps.empty());
  EXPECT_LT(choice.steps.size(), chosen().steps.size());
  double best = 0;
  for (const Choice::Step& step : choice.steps) best = std::max(best, step.value);
  EXPECT_EQ(choice.end, best);
}

TEST(Tune, HelpsOnRatingsItNeverSaw) {
  double plain = 0;
  double tuned = 0;
  for (const Split& parts : testing::three_worlds()) {
    plain += evaluate(fit(parts.train, Method("popularity")), parts.test).mean.at("ndcg@10");
    tuned += evaluate(fit(parts.train, tune(parts.train).method), parts.test).mean.at("ndcg@10");
  }
  EXPECT_GE(tuned, 0.99 * plain);
}

// The same ratings on another scale, liked from its middle, give the same choice.
TEST(Tune, TheScaleDoesNotMatter) {
  const auto scaled = [](float by) {
    RatingsBuilder builder({"overall"});
    for (std::uint32_t u = 0; u < made_up().users(); ++u) {
      const UserRatings row = made_up().of(u);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if ((row.present[k] & 1U) == 0) continue;
        const std::vector<float> value = {row.values[k * made_up().criteria().size()] * by};
        builder.add(made_up().user_id(u), made_up().item_id(row.items[k]), value);
      }
    }
    return builder.build();
  };
  const Choice five = tune(scaled(1));
  const Choice ten = tune(scaled(2));
  EXPECT_GT(five.users, 0U);
  EXPECT_EQ(five.method, ten.method);
  EXPECT_EQ(five.end, ten.end);
}

TEST(Tune, WithNobodyToJudgeByTakesTheFixedSettings) {
  RatingsBuilder builder({"overall"});
  for (int u = 0; u < 10; ++u) {  // one rating each: none can be held back
    builder.add("u" + std::to_string(u), "i" + std::to_string(u % 3), std::vector<float>{3});
  }
  const Choice choice = tune(builder.build());
  EXPECT_EQ(choice.users, 0U);
  EXPECT_EQ(choice.method, Method("adaptive"));
}

TEST(Tune, SaysWhatIsWrong) {
  EXPECT_EQ(thrown_by([] { static_cast<void>(tune(Ratings())); }).code(), ErrorCode::bad_input);
  for (const double share : {0.0, 1.0, -1.0}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(tune(made_up(), {.validation = share})); }).code(),
              ErrorCode::usage);
  }
}

TEST(Tune, TellsWhatItTriesAndNothingOfWhatWorksForIt) {
  std::set<std::string, std::less<>> tried;
  std::uint64_t last = 0;
  bool forward = true;
  const Progress watch = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    tried.emplace(stage);
    forward = forward && done >= last && done <= total;
    last = done;
    return true;
  };
  static_cast<void>(tune(made_up(), {}, {.progress = watch}));
  EXPECT_THAT(tried, ::testing::Each(::testing::StartsWith("choosing settings")));
  EXPECT_THAT(tried, ::testing::Contains(::testing::HasSubstr("popularity")));
  EXPECT_THAT(tried, ::testing::Contains(::testing::HasSubstr("best so far")));
  EXPECT_TRUE(forward);
  EXPECT_GT(last, 0U);
}

TEST(Tune, StopsWhenAsked) {
  std::size_t told = 0;
  const Progress stop = [&](std::string_view, std::size_t, std::size_t) { return ++told < 3; };
  EXPECT_EQ(thrown_by([&] { static_cast<void>(tune(made_up(), {}, {.progress = stop})); }).code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace palate
