// The automatic choice of filters.
#include <gmock/gmock.h>

#include <limits>
#include <set>
#include <string>

#include "tuning/trials.hpp"
#include "tuning/validation_scores.hpp"
#include "unit/tuning/made_up.hpp"

namespace palate {
namespace {

using testing::made_up;
using testing::thrown_by;

constexpr auto chosen = testing::found_by<choose_filters>;

bool same(const Choice& a, const Choice& b) {
  const auto same_step = [](const Choice::Step& x, const Choice::Step& y) {
    return x.tried == y.tried && x.value == y.value && x.taken == y.taken;
  };
  return std::ranges::equal(a.steps, b.steps, same_step) && a.method == b.method &&
         a.start == b.start && a.end == b.end && a.users == b.users;
}

double ndcg_of(const Ratings& train, const Ratings& test, const CaGf& settings) {
  return evaluate(fit(train, settings), test).mean.at("ndcg@10");
}

TEST(ChooseFilters, IsTheSameForTheSameSeedOnAnyNumberOfThreads) {
  EXPECT_TRUE(same(chosen(), choose_filters(made_up(), {}, {.threads = 1})));
  EXPECT_TRUE(same(chosen(), choose_filters(made_up(), {}, {.threads = 3})));
}

TEST(ChooseFilters, AnotherSeedIsAnotherValidationPart) {
  EXPECT_NE(chosen().start, choose_filters(made_up(), {.seed = 2}).start);
}

TEST(ChooseFilters, NeverEndsBelowWhereItStarted) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Ratings ratings = testing::random_ratings({.users = 80, .items = 40}, seed);
    const Choice choice = choose_filters(ratings, {.seed = seed});
    EXPECT_GE(choice.end, choice.start);
    EXPECT_GT(choice.users, 0U);
  }
}

TEST(ChooseFilters, TakesTheBestSoFarOnceThatIsEnoughOrTimeIsUp) {
  const Choice at_once = choose_filters(made_up(), {.seconds = 1e-9});
  EXPECT_EQ(at_once.end, chosen().start);
  std::size_t asked = 0;
  const Choice choice = choose_filters(made_up(), {.enough = [&] { return ++asked > 20; }});
  EXPECT_LT(choice.steps.size(), chosen().steps.size());
  EXPECT_GE(choice.end, choice.start);
}

TEST(ChooseFilters, StepsTellHowTheEndWasReached) {
  double best = chosen().start;
  for (const Choice::Step& step : chosen().steps) {
    EXPECT_FALSE(step.tried.empty());
    if (step.taken) {
      EXPECT_GT(step.value, best) << step.tried;
      best = step.value;
    }
  }
  EXPECT_EQ(best, chosen().end);
}

TEST(ChooseFilters, NamesEveryCriterionOnceInOrder) {
  const auto& filters = chosen().method.ca_gf()->filters;
  ASSERT_EQ(filters.size(), made_up().criteria().size());
  for (std::size_t c = 0; c < filters.size(); ++c) {
    EXPECT_EQ(filters[c].criterion, made_up().criteria()[c].name);
  }
  EXPECT_EQ(chosen().method.ca_gf()->variant, Variant::full);
}

double worth_of(const Ratings& train, const Ratings& test, const CaGf& settings) {
  const auto measured = evaluate(fit(train, settings), test).mean;
  double sum = 0;
  for (const char* name : {"recall@5", "recall@10", "ndcg@5", "ndcg@10"}) sum += measured.at(name);
  return sum / 4;
}

TEST(ChooseFilters, JudgesSettingsAsEvaluateDoes) {
  ThreadPool pool;
  const std::vector<double> powers = {0.6, 1.0, 1.5};
  const ValidationScores scores(made_up(), {}, 0, powers, pool, {}, 0);
  const std::vector<std::vector<Filter>> some = {
      {linear(), linear(), linear(), linear(), linear()},
      {linear(0.6), inward(1.5), outward(), outward(), linear(0.6)},
      {inward(), linear(), outward(1.5), inward(0.6), linear(1.5)}};
  for (const std::vector<Filter>& filters : some) {
    CaGf settings{.preference = 4};
    ASSERT_EQ(filters.size(), made_up().criteria().size());
    for (std::size_t c = 0; c < filters.size(); ++c) {
      settings.filters.push_back({made_up().criteria()[c].name, filters[c]});
    }
    // Sums are taken in another order, so that a close pair may change places here and there.
    EXPECT_NEAR(mean(scores.worth(filters, settings.preference)),
                worth_of(scores.train(), scores.held_back(), settings), 2e-3);
  }
}

TEST(ChooseFilters, HoldsBackRatingsOfOneGroupOfPeopleAtATime) {
  ThreadPool pool;
  const std::vector<double> powers = {1.0};
  std::size_t people = 0;
  for (std::size_t group = 0; group < ValidationScores::groups; ++group) {
    const ValidationScores scores(made_up(), {}, group, powers, pool, {}, 0);
    people += scores.people();
    EXPECT_EQ(scores.train().interactions() + scores.held_back().interactions(),
              made_up().interactions());
    EXPECT_GT(static_cast<double>(scores.train().interactions()),
              0.95 * static_cast<double>(made_up().interactions()));
  }
  EXPECT_LE(people, made_up().users());
}

TEST(ChooseFilters, HelpsOrDoesNoHarmOnRatingsItNeverSaw) {
  double linear_sum = 0;
  double chosen_sum = 0;
  for (const Split& parts : testing::three_worlds()) {
    linear_sum += ndcg_of(parts.train, parts.test, {});
    chosen_sum += ndcg_of(parts.train, parts.test, *choose_filters(parts.train).method.ca_gf());
  }
  EXPECT_GE(chosen_sum, 0.98 * linear_sum);
}

TEST(ChooseFilters, OneCriterionIsEnough) {
  const Ratings ratings = testing::random_ratings({.users = 80, .items = 30, .criteria = 1}, 2);
  const Choice choice = choose_filters(ratings);
  ASSERT_EQ(choice.method.ca_gf()->filters.size(), 1U);
  EXPECT_NO_THROW(static_cast<void>(fit(ratings, choice.method)));
}

TEST(ChooseFilters, WithNobodyToJudgeByStaysLinear) {
  RatingsBuilder builder({"overall", "taste"});
  for (int u = 0; u < 10; ++u) {  // nothing reaches the threshold
    for (int i = 0; i < 12; ++i) {
      builder.add("u" + std::to_string(u), "i" + std::to_string((i + u) % 17),
                  std::vector<float>{1, 2});
    }
  }
  const Choice choice = choose_filters(builder.build(), {.threshold = 3});
  EXPECT_EQ(choice.users, 0U);
  EXPECT_EQ(choice.start, 0);
  EXPECT_EQ(choice.end, 0);
  ASSERT_EQ(choice.method.ca_gf()->filters.size(), 2U);
  for (const CaGf::CriterionFilter& one : choice.method.ca_gf()->filters)
    EXPECT_EQ(one.filter, linear());
}

TEST(ChooseFilters, OneRatingIsNotTooLittle) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "i", std::vector<float>{5});
  EXPECT_EQ(choose_filters(builder.build()).users, 0U);
}

TEST(ChooseFilters, NoRatingsAreAnError) {
  EXPECT_EQ(thrown_by([] { static_cast<void>(choose_filters(Ratings())); }).code(),
            ErrorCode::bad_input);
}

TEST(ChooseFilters, OptionsOutOfRangeAreErrors) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<ChooseOptions> bad = {
      {.validation = 0}, {.validation = 1},       {.validation = nothing}, {.at = 0},
      {.powers = {}},    {.powers = {1.0, -1.0}}, {.powers = {nothing}},   {.powers = {21.0}}};
  for (const ChooseOptions& options : bad) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(choose_filters(made_up(), options)); }).code(),
              ErrorCode::usage);
  }
}

TEST(ChooseFilters, TellsHowFarItIsAndStopsWhenAsked) {
  std::uint64_t last = 0;
  bool forward = true;
  std::set<std::string, std::less<>> stages;
  static_cast<void>(choose_filters(
      made_up(), {.powers = {0.6, 1.0}},
      {.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t total) {
        stages.emplace(stage);
        forward = forward && done >= last && done <= total;
        last = done;
        return true;
      }}));
  EXPECT_THAT(stages, ::testing::ElementsAre("choose filters")) << "one stage from start to end";
  EXPECT_TRUE(forward);
  EXPECT_GT(last, 0U);

  for (const std::uint64_t stop_at : {0, 3}) {
    const Error error = thrown_by([&] {
      static_cast<void>(choose_filters(
          made_up(), {}, {.progress = [&](std::string_view, std::uint64_t done, std::uint64_t) {
            return done < stop_at;
          }}));
    });
    EXPECT_EQ(error.code(), ErrorCode::cancelled) << stop_at;
  }
}

}  // namespace
}  // namespace palate
