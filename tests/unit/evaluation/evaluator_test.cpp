#include "evaluation/evaluator.hpp"

#include <array>
#include <cmath>

#include "palate/split.hpp"
#include "unit/evaluation/fixtures.hpp"

namespace palate {
namespace {

using test::absent;
using test::expect_error;
using test::FixedLists;

// Items i0..i5, users u0..u3. u0 and u1 like something in test, u2 only dislikes, u3 has no test.
struct Small {
  Ratings train, test;
  ThreadPool pool{1};

  Small() {
    struct Entry {
      const char *user, *item;
      float train, test;
    };
    const std::vector<Entry> entries = {
        {"u0", "i0", 5, absent}, {"u0", "i1", absent, 4}, {"u0", "i2", absent, 3},
        {"u0", "i5", absent, 2}, {"u1", "i0", 2, absent}, {"u1", "i1", 4, absent},
        {"u1", "i3", absent, 5}, {"u2", "i4", 1, absent}, {"u2", "i0", absent, 1},
        {"u3", "i0", 5, absent},
    };
    const auto build = [&](bool is_train) {
      RatingsBuilder builder({"overall"});
      for (int i = 0; i < 6; ++i) builder.add_item("i" + std::to_string(i));
      for (int u = 0; u < 4; ++u) builder.add_user("u" + std::to_string(u));
      for (const Entry& e : entries) {
        const float value[] = {is_train ? e.train : e.test};
        if (!std::isnan(value[0])) builder.add(e.user, e.item, value);
      }
      return builder.build();
    };
    train = build(true);
    test = build(false);
  }

  Evaluation evaluate(const std::vector<std::uint32_t>& order, const EvaluateOptions& options) {
    return evaluate_recommender(FixedLists(6, order), train, test, options, {}, pool, {});
  }
};

TEST(Evaluator, JudgesUsersWithARelevantItemOnly) {
  const Evaluation e = Small().evaluate({0, 1, 2, 3, 4, 5}, {.at = {2}});
  EXPECT_EQ(e.users, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(e.relevance, "overall >= 3");
}

TEST(Evaluator, MeansAndValuesPerUser) {
  // u0 gets 1 2 (both relevant), u1 gets 2 3 (the second is).
  const Evaluation e = Small().evaluate({0, 1, 2, 3, 4, 5}, {.at = {2}});
  EXPECT_DOUBLE_EQ(e.mean.at("recall@2"), 1);
  EXPECT_DOUBLE_EQ(e.mean.at("precision@2"), (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(e.mean.at("mrr@2"), (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(e.mean.at("map@2"), (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(e.mean.at("ndcg@2"), (1 + 1 / std::log2(3)) / 2);
  EXPECT_DOUBLE_EQ(e.mean.at("ndcg_paper@2"), 1);
  EXPECT_DOUBLE_EQ(e.mean.at("coverage@2"), 3.0 / 6);
  EXPECT_DOUBLE_EQ(e.mean.at("gini@2"), 7.0 / 12);  // counts 0 0 0 1 1 2
  // 1 + users is 5; item 1 has one rater, items 2 and 3 have none.
  EXPECT_NEAR(e.mean.at("novelty@2"), std::log2(5) - 1.0 / 4, 1e-12);
  ASSERT_EQ(e.per_user.size(), e.metrics.size());
  for (std::size_t m = 0; m < e.metrics.size(); ++m) {
    ASSERT_TRUE(e.mean.contains(e.metrics[m]));
    if (e.metrics[m] == "precision@2") {
      EXPECT_EQ(e.per_user[m], (std::vector<float>{1, 0.5F}));
    }
    if (e.metrics[m] == "gini@2") {
      EXPECT_TRUE(e.per_user[m].empty());
    }
  }
}

TEST(Evaluator, LengthsAreSortedAndCountedOnce) {
  const Evaluation e = Small().evaluate({0, 1, 2, 3, 4, 5}, {.at = {3, 1, 3}});
  EXPECT_EQ(e.metrics.size(), 2U * 10);
  EXPECT_EQ(e.metrics[0], "recall@1");
  EXPECT_EQ(e.metrics[1], "recall@3");
}

TEST(Evaluator, ListsLongerThanTheCatalogue) {
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  const Evaluation e = Small().evaluate({0, 1, 2, 3, 4, 5}, {.at = {huge}});
  EXPECT_DOUBLE_EQ(e.mean.at("recall@" + std::to_string(huge)), 1);
  EXPECT_NEAR(e.mean.at("precision@" + std::to_string(huge)), 0, 1e-12);
}

TEST(Evaluator, ATestPairThatStandsInTrainIsNeverFoundButCounts) {
  const Ratings both = test::make_ratings({{"a", "x", 5}, {"a", "y", 5}});
  const std::uint8_t only_x[] = {1, 0};
  ThreadPool pool(1);
  const Evaluation e = evaluate_recommender(FixedLists(2, {0, 1}), subset(both, only_x), both,
                                            {.at = {2}}, {}, pool, {});
  EXPECT_DOUBLE_EQ(e.mean.at("recall@2"), 0.5);
}

TEST(Evaluator, ThreadsAndBatchesDoNotMatter) {
  std::vector<test::Row> rows;
  for (int u = 0; u < 2500; ++u) {
    for (int k = 0; k < 4; ++k) {
      rows.push_back({"u" + std::to_string(u), "i" + std::to_string((u * (k + 1) + k) % 41), 4});
    }
  }
  const Split parts = split(test::make_ratings(rows), {.test = 0.3});
  std::vector<std::uint32_t> order(parts.train.items());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const FixedLists recommender(order.size(), order);
  ThreadPool one(1);
  ThreadPool three(3);
  const auto a = evaluate_recommender(recommender, parts.train, parts.test, {}, {}, one, {});
  const auto b = evaluate_recommender(recommender, parts.train, parts.test, {}, {}, three, {});
  EXPECT_GT(a.users.size(), 2048U);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.per_user, b.per_user);
  EXPECT_GT(a.mean.at("recall@10"), 0);
}

TEST(Evaluator, SaysWhereTheTimeWentAndCanBeStopped) {
  Small small;
  const Evaluation e = small.evaluate({0, 1}, {});
  ASSERT_EQ(e.seconds.size(), 2U);
  EXPECT_EQ(e.seconds[0].first, "recommend");
  EXPECT_EQ(e.seconds[1].first, "metrics");
  expect_error(ErrorCode::cancelled, [&] {
    (void)evaluate_recommender(FixedLists(6, {0}), small.train, small.test, {}, {}, small.pool,
                               [](auto, auto, auto) { return false; });
  });
}

TEST(Evaluator, RefusesWhatCannotBeMeasured) {
  Small small;
  expect_error(ErrorCode::usage, [&] { (void)small.evaluate({0}, {.at = {}}); });
  expect_error(ErrorCode::usage, [&] { (void)small.evaluate({0}, {.at = {5, 0}}); });
  expect_error(ErrorCode::bad_input, [&] { (void)small.evaluate({0}, {.threshold = 6}); });
  expect_error(ErrorCode::usage, [&] {
    (void)small.evaluate({0}, {.threshold = std::numeric_limits<double>::infinity()});
  });
  const Ratings other = test::make_ratings({{"a", "x", 5}});
  expect_error(ErrorCode::usage, [&] {
    (void)evaluate_recommender(FixedLists(6, {0}), small.train, other, {}, {}, small.pool, {});
  });
  expect_error(ErrorCode::usage, [&] {
    (void)evaluate_recommender(FixedLists(1, {0}), small.train, small.test, {}, {}, small.pool, {});
  });
  const float weights[] = {1, 2};
  expect_error(ErrorCode::usage, [&] {
    (void)evaluate_recommender(FixedLists(6, {0}), small.train, small.test, {}, {weights},
                               small.pool, {});
  });
}

using Flags = std::vector<std::uint8_t>;

TEST(Relevance, EachRule) {
  // Train overall: u0 5, u1 2 4, u2 1, u3 5; median 4. Test: u0 4 3 2, u1 5, u2 1.
  Small small;
  const auto flags = [&](Relevance rule, double threshold) {
    return relevant_interactions(small.train, small.test, {.threshold = threshold, .rule = rule});
  };
  EXPECT_EQ(flags(Relevance::at_least, 3), (Flags{1, 1, 0, 1, 0}));
  EXPECT_EQ(flags(Relevance::above, 3), (Flags{1, 0, 0, 1, 0}));
  EXPECT_EQ(flags(Relevance::above_median, 0), (Flags{0, 0, 0, 1, 0}));
  EXPECT_EQ(flags(Relevance::above_user_mean, 0), (Flags{0, 0, 0, 1, 0}));
}

Ratings on_scale(std::initializer_list<float> values) {
  RatingsBuilder builder({"overall"});
  int item = 0;
  for (const float value : values) {
    builder.add("u", "i" + std::to_string(item++), std::array{value});
  }
  return builder.build();
}

TEST(Relevance, FiveStarsAreLikedFromThreeAndOtherScalesFromTheirMiddle) {
  EXPECT_EQ(usual_threshold(on_scale({1, 5})), 3);
  EXPECT_EQ(usual_threshold(on_scale({0.5F, 4.5F})), 3);
  EXPECT_EQ(usual_threshold(on_scale({2, 5})), 3);
  EXPECT_EQ(relevance_text(on_scale({1, 5})), "overall >= 3");
  EXPECT_EQ(usual_threshold(on_scale({0, 2})), 1);
  EXPECT_EQ(usual_threshold(on_scale({1, 13})), 7);
  EXPECT_EQ(relevance_text(on_scale({0, 2})), "overall >= 1, the middle of the scale 0 to 2");
  EXPECT_EQ(relevance_text(on_scale({0, 2}), {.threshold = 2}), "overall >= 2");
}

TEST(Relevance, WhereAllRatingsAreEqualWhateverWasRatedIsRelevant) {
  const Ratings bought = on_scale({1, 1, 1});
  EXPECT_EQ(relevant_interactions(bought, bought, {}), (Flags{1, 1, 1}));
  EXPECT_EQ(relevance_text(bought), "overall >= 1, which every rating is");
}

TEST(Relevance, ADecimalThresholdMeansTheSameAsInTheData) {
  const Ratings ratings = test::make_ratings({{"a", "x", 3.3F}});
  EXPECT_EQ(relevant_interactions(ratings, ratings, {.threshold = 3.3}), (Flags{1}));
  EXPECT_EQ(relevant_interactions(ratings, ratings, {.threshold = 3.3, .rule = Relevance::above}),
            (Flags{0}));
}

TEST(Relevance, OnlyTheOverallRatingCounts) {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("a", "x", std::vector<float>{absent, 5});
  builder.add("a", "y", std::vector<float>{4, absent});
  const Ratings ratings = builder.build();
  EXPECT_EQ(relevant_interactions(ratings, ratings, {}), (Flags{0, 1}));
}

TEST(Relevance, AnEmptyTrainHasNoMedian) {
  const Ratings all = test::make_ratings({{"a", "x", 5}});
  const std::uint8_t none[] = {0};
  for (const auto rule : {Relevance::above_median, Relevance::above_user_mean}) {
    expect_error(ErrorCode::bad_input,
                 [&] { (void)relevant_interactions(subset(all, none), all, {.rule = rule}); });
  }
}

}  // namespace
}  // namespace palate
