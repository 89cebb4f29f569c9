// Item-kNN against the formula written out.
#include "methods/item_knn/item_knn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/errors.hpp"
#include "support/slow_twin.hpp"
#include "unit/methods/sample_data.hpp"

namespace palate {
namespace {

using testing::Matrix;
using testing::thrown_by;

// S_ij, all pairs but an item and itself.
Matrix cosines(const Matrix& r, std::size_t items, double shrink) {
  Matrix products = testing::zeros(items, items);
  for (const auto& row : r) {
    for (std::size_t i = 0; i < items; ++i) {
      for (std::size_t j = 0; j < items; ++j) products[i][j] += row[i] * row[j];
    }
  }
  Matrix out = testing::zeros(items, items);
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t j = 0; j < items; ++j) {
      if (i == j || products[i][j] == 0) continue;
      out[i][j] = products[i][j] / (std::sqrt(products[i][i] * products[j][j]) + shrink);
    }
  }
  return out;
}

std::unique_ptr<const LinearRecommender> fitted(const Ratings& ratings, const ItemKnn& settings,
                                                ThreadPool& pool) {
  const Progress nobody;
  Stages stages;
  auto out = fit_item_knn(ratings, settings, {pool, nobody, stages});
  return std::unique_ptr<const LinearRecommender>(
      dynamic_cast<const LinearRecommender*>(out.release()));
}

std::vector<float> scores_of(const Recommender& recommender, const UserRatings& row) {
  std::vector<float> out(recommender.items());
  recommender.score({.ratings = row}, out);
  return out;
}

TEST(ItemKnn, WithAllNeighboursIsRatingsTimesSimilarity) {
  ThreadPool pool(2);
  for (const auto& [name, ratings] : testing::sample_data()) {
    for (const double shrink : {0.0, 25.0}) {
      const auto knn = fitted(
          ratings, {.neighbours = std::numeric_limits<std::size_t>::max(), .shrink = shrink}, pool);
      const Matrix r = testing::dense(ratings, 0);
      const Matrix expected = testing::multiply(r, cosines(r, ratings.items(), shrink));
      for (std::uint32_t u = 0; u < ratings.users(); ++u) {
        const auto scores = scores_of(*knn, ratings.of(u));
        for (std::size_t i = 0; i < scores.size(); ++i) {
          ASSERT_NEAR(static_cast<double>(scores[i]), expected[u][i], 1e-5 * expected[u][i])
              << name << ", user " << u;
        }
      }
    }
  }
}

TEST(ItemKnn, PearsonIsTheCorrelationOverAllPeopleWhereItIsAboveZero) {
  ThreadPool pool(2);
  for (const auto& [name, ratings] : testing::sample_data()) {
    const auto knn = fitted(ratings,
                            {.neighbours = std::numeric_limits<std::size_t>::max(),
                             .similarity = ItemKnn::Similarity::pearson},
                            pool);
    const Matrix r = testing::dense(ratings, 0);
    const auto people = static_cast<double>(r.size());
    std::vector<double> mean(ratings.items(), 0.0);
    for (const auto& row : r) {
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += row[i] / people;
    }
    const auto covariance = [&](std::size_t i, std::size_t j) {
      double sum = 0;
      for (const auto& row : r) sum += (row[i] - mean[i]) * (row[j] - mean[j]);
      return sum;
    };
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      for (std::uint32_t j = 0; j < ratings.items(); ++j) {
        const bool rated_together =
            std::ranges::any_of(r, [&](const auto& row) { return row[i] * row[j] > 0; });
        const double both = covariance(i, j);
        const double expected = i != j && rated_together && both > 0
                                    ? both / std::sqrt(covariance(i, i) * covariance(j, j))
                                    : 0.0;
        ASSERT_NEAR(static_cast<double>(knn->weights().at(j, i)), expected, 1e-5) << name;
      }
    }
  }
}

TEST(ItemKnn, AnItemListensToItsBestNeighboursOnly) {
  ThreadPool pool(1);
  const Ratings ratings = testing::random_ratings({.users = 60, .items = 25, .density = 0.4}, 6);
  const auto few = fitted(ratings, {.neighbours = 4}, pool);
  const auto all = fitted(ratings, {.neighbours = 25}, pool);
  const Matrix r = testing::dense(ratings, 0);
  const Matrix similarity = cosines(r, ratings.items(), 0);
  for (std::uint32_t i = 0; i < ratings.items(); ++i) {
    const auto best = few->similar(i, 25);
    const auto every = all->similar(i, 25);
    ASSERT_EQ(best.size(), 4U);
    EXPECT_TRUE(std::equal(best.begin(), best.end(), every.begin()));
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      double expected = 0;
      for (const ScoredItem& j : best) expected += similarity[i][j.item] * r[u][j.item];
      EXPECT_NEAR(static_cast<double>(scores_of(*few, ratings.of(u))[i]), expected,
                  1e-5 * expected);
    }
  }
}

TEST(ItemKnn, ListensToOverallRatingsAlone) {
  RatingsBuilder one({"overall", "taste"});
  RatingsBuilder two({"overall", "taste"});
  for (const auto& row : testing::random_rows({.criteria = 1, .missing = 0}, 9)) {
    one.add(row.user, row.item, std::vector<float>{row.values[0], 1});
    two.add(row.user, row.item, std::vector<float>{row.values[0], 5});
  }
  ThreadPool pool(1);
  const Ratings a = one.build();
  const Ratings b = two.build();
  const auto first = fitted(a, {}, pool);
  const auto second = fitted(b, {}, pool);
  for (std::uint32_t u = 0; u < a.users(); ++u) {
    EXPECT_EQ(scores_of(*first, a.of(u)), scores_of(*second, b.of(u)));
  }
}

TEST(ItemKnn, SettingsOutOfRangeAreErrors) {
  const auto code = [&](const char* setting, const char* value) {
    return thrown_by([&] { Method("item-knn").set(setting, value); }).code();
  };
  EXPECT_EQ(code("neighbours", "0"), ErrorCode::usage);
  EXPECT_EQ(code("shrink", "-1"), ErrorCode::usage);
  EXPECT_EQ(code("shrink", "nan"), ErrorCode::usage);
  EXPECT_EQ(code("shrink", "inf"), ErrorCode::usage);
}

}  // namespace
}  // namespace palate
