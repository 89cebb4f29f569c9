// What an item stands out by, and what dials do.
#include "dials/dials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "methods/popularity/popularity.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using ::testing::Each;

TotalOf totals_of(const Ratings& ratings) {
  return [&ratings](std::uint32_t item, std::size_t criterion) {
    ItemTotal out;
    const std::size_t width = ratings.criteria().size();
    for (std::uint32_t user = 0; user < ratings.users(); ++user) {
      const UserRatings row = ratings.of(user);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row.items[k] != item || (row.present[k] >> criterion & 1U) == 0) continue;
        out.sum += static_cast<double>(row.values[k * width + criterion]);
        ++out.count;
      }
    }
    return out;
  };
}

Contrasts contrasts_of(const Ratings& ratings) {
  return {ratings.items(), ratings.criteria(), totals_of(ratings), {}};
}

// Two criteria, three items: "good" stands out on service, "bad" the other way, "none" was never
// rated on it.
Ratings hotels() {
  RatingsBuilder builder({"overall", "service"});
  for (const char* user : {"a", "b", "c"}) {
    builder.add(user, "good", std::vector<float>{3, 5});
    builder.add(user, "bad", std::vector<float>{3, 1});
    builder.add(user, "none", std::vector<float>{4, std::nanf("")});
  }
  return builder.build();
}

TEST(Contrasts, AreHighWhereACriterionIsRatedAboveItsOverall) {
  const Ratings ratings = hotels();
  const Contrasts contrasts = contrasts_of(ratings);
  const auto z = contrasts.of(1);
  EXPECT_GT(z[*ratings.find_item("good")], 0);
  EXPECT_LT(z[*ratings.find_item("bad")], 0);
  EXPECT_EQ(z[*ratings.find_item("none")], 0);
  EXPECT_GT(contrasts.of(0)[*ratings.find_item("none")],
            contrasts.of(0)[*ratings.find_item("bad")]);
}

TEST(Contrasts, OfFewRatingsAreDrawnToTheAverage) {
  RatingsBuilder builder({"overall", "service"});
  for (int user = 0; user < 50; ++user) {
    const std::string name = "u" + std::to_string(user);
    builder.add(name, "many", std::vector<float>{3, 5});
    builder.add(name, "plain", std::vector<float>{3, 3});
    if (user == 0) builder.add(name, "one", std::vector<float>{3, 5});
  }
  const Ratings ratings = builder.build();
  const Contrasts contrasts = contrasts_of(ratings);
  EXPECT_GT(contrasts.of(1)[*ratings.find_item("many")],
            2 * contrasts.of(1)[*ratings.find_item("one")]);
}

TEST(Contrasts, AreInStandardDeviations) {
  const Ratings ratings = testing::random_ratings({.users = 60, .items = 40}, 3);
  const Contrasts contrasts = contrasts_of(ratings);
  for (std::size_t c = 0; c < contrasts.criteria(); ++c) {
    const auto z = contrasts.of(c);
    double squares = 0;
    double n = 0;
    for (std::uint32_t i = 0; i < z.size(); ++i) {
      EXPECT_LE(std::abs(z[i]), Contrasts::most);
      if (totals_of(ratings)(i, c).count == 0) continue;
      squares += static_cast<double>(z[i]) * static_cast<double>(z[i]);
      ++n;
    }
    EXPECT_NEAR(squares / n, 1, 0.1) << "criterion " << c;
  }
}

TEST(Contrasts, OfEqualRatingsAreNone) {
  RatingsBuilder builder({"overall", "service"});
  for (const char* item : {"a", "b", "c"}) builder.add("u", item, std::vector<float>{4, 4});
  const Ratings ratings = builder.build();
  EXPECT_THAT(contrasts_of(ratings).of(1), Each(0.0F));
}

TEST(Dials, AtOneTurnNothing) {
  const std::vector<DialStrength> strengths(3, {0.1F, 0.2F});
  EXPECT_TRUE(turn(strengths, std::vector<double>{1, 1, 1}).empty());
}

TEST(Dials, TurnInEvenStepsAndNoFurtherThanTheirEnd) {
  const std::vector<DialStrength> strengths = {{0.1F, 0.2F}};
  const auto step = [&](double weight) {
    return turn(strengths, std::vector<double>{weight}).front().step;
  };
  EXPECT_FLOAT_EQ(step(4), 2 * step(2));
  EXPECT_FLOAT_EQ(step(0.25), 2 * step(0.5));
  EXPECT_FLOAT_EQ(step(0.5), -0.2F);
  EXPECT_FLOAT_EQ(step(1e6), step(64));
  EXPECT_FLOAT_EQ(step(0), step(1.0 / 64));
}

TEST(Dials, PartsAddUpToWhatTheBoostAdds) {
  const Ratings ratings = testing::random_ratings({.users = 60, .items = 40}, 3);
  const Contrasts contrasts = contrasts_of(ratings);
  const std::vector<TurnedDial> turned = {{1, 4, 0.3F}, {2, 0.5, -0.1F}};
  const std::vector<float> boost = boosts(contrasts, turned);
  for (std::uint32_t i = 0; i < ratings.items(); ++i) {
    for (const double score : {2.5, -1.0, 0.0}) {
      const auto parts = dial_parts(contrasts, turned, i, score, boost[i]);
      const double by = static_cast<double>(boost[i]);
      EXPECT_NEAR(score + std::accumulate(parts.begin(), parts.end(), 0.0),
                  score < 0 ? score / by : score * by, 1e-12);
    }
  }
}

TEST(Dials, AreAsStrongAsADoublingNeeds) {
  const Ratings ratings = testing::random_ratings({.users = 300, .items = 400}, 5);
  const Contrasts contrasts = contrasts_of(ratings);
  const auto popular = PopularityRecommender::fit(ratings);
  std::vector<Query> people;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    people.push_back({.ratings = ratings.of(user), .top = items_for_dials});
  }
  ThreadPool pool(2);
  const auto strengths = calibrate_dials(*popular, contrasts, people, pool);
  const auto mean = [&](std::span<const float> boost, std::size_t c) {
    std::vector<Query> asked = people;
    for (Query& query : asked) {
      query.top = 10;
      query.boost = boost;
    }
    std::vector<std::vector<ScoredItem>> lists(asked.size());
    popular->recommend(asked, lists, pool);
    double sum = 0;
    double n = 0;
    for (const auto& list : lists) {
      for (const ScoredItem& one : list) {
        sum += static_cast<double>(contrasts.of(c)[one.item]);
        ++n;
      }
    }
    return sum / n;
  };
  for (std::size_t c = 0; c < contrasts.criteria(); ++c) {
    const double before = mean({}, c);
    double last = -100;
    for (const double weight : {0.25, 0.5, 1.0, 2.0, 4.0}) {
      std::vector<double> weights(contrasts.criteria(), 1.0);
      weights[c] = weight;
      const auto turned = turn(strengths, weights);
      const double moved =
          mean(turned.empty() ? std::vector<float>() : boosts(contrasts, turned), c) - before;
      EXPECT_GE(moved, last) << "criterion " << c << " at " << weight;
      last = moved;
      // Everybody's list is nearly the same here, so that items come and go in coarse steps.
      if (weight == 2) {
        EXPECT_NEAR(moved, shift_of_a_doubling, 0.2) << "criterion " << c;
      }
      if (weight == 0.5) {
        EXPECT_NEAR(moved, -shift_of_a_doubling, 0.2) << "criterion " << c;
      }
    }
  }
}

}  // namespace
}  // namespace palate
