// Filters multiplied out: the matrices are those of the formula, and lists and scores those of the
// graph without them.
#include "ranking/whole_scorer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/random_ratings.hpp"
#include "unit/methods/fitted.hpp"

namespace palate {
namespace {

using testing::fitted;
using testing::random_ratings;
using List = std::vector<ScoredItem>;
using Matrix = std::vector<std::vector<double>>;

CaGf settings_of(const std::vector<Filter>& filters, const Ratings& ratings) {
  CaGf settings{.computing = {.solver = Solver::exact}};
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    settings.filters.push_back({ratings.criteria()[c].name, filters[c % filters.size()]});
  }
  return settings;
}

const WholeFilters& filters_of(const CaGfRecommender& model) {
  return dynamic_cast<const WholeScorer&>(model.scorer()).graphs();
}

// P_f in places, from the links of the graph.
Matrix adjusted(const WholeFilters& filters, const Branch& branch) {
  const DenseGraph& graph = filters.graphs[branch.graph];
  const double power = filters.plan->powers[branch.values].power;
  Matrix out(graph.items());
  std::vector<float> row(graph.stride());
  for (std::size_t i = 0; i < graph.items(); ++i) {
    kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(), 1.0F, row.data());
    for (std::size_t j = 0; j < graph.items(); ++j) {
      const double entry =
          static_cast<double>(row[j]) * std::exp2(static_cast<double>(graph.shift()[i]));
      out[i].push_back(entry > 0 ? std::pow(entry, power) : 0.0);
    }
  }
  return out;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), std::vector<double>(a.size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[i][k] == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

void expect_formula(const WholeFilters& filters) {
  for (std::size_t b = 0; b < filters.branches(); ++b) {
    const Branch& branch = filters.plan->branches[b];
    const Matrix p = adjusted(filters, branch);
    Matrix power = p;
    Matrix sum(p.size(), std::vector<double>(p.size(), 0.0));
    Matrix size = sum;
    for (std::size_t k = 0; k < branch.coefficients.size(); ++k) {
      if (k > 0) power = product(p, power);
      for (std::size_t i = 0; i < p.size(); ++i) {
        for (std::size_t j = 0; j < p.size(); ++j) {
          sum[i][j] += branch.coefficients[k] * power[i][j];
          size[i][j] += std::abs(branch.coefficients[k] * power[i][j]);
        }
      }
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(filters.at(b, j, i)), sum[j][i], 5e-6 * size[j][i] + 1e-30)
            << "branch " << b << ", row " << j << ", column " << i;
      }
    }
  }
}

// Sizes at the borders of blocks, strips and tiles.
class WholeFiltersOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(WholeFiltersOf, AreTheFormula) {
  const Ratings ratings = random_ratings(
      {.users = 60, .items = GetParam(), .criteria = 4, .density = 0.15, .missing = 0.2}, 5);
  ThreadPool pool(2);
  const auto second =
      fitted(ratings, settings_of({outward(0.85), linear(0.6), inward(1.5)}, ratings), pool);
  expect_formula(filters_of(*second));
  const auto higher = fitted(
      ratings,
      settings_of({{{0.7, 0.1, -0.01}, 0.7}, {{0, 0, 0, 1}, 1.2}, {{0.4, 0, 0.5}, 1.0}}, ratings),
      pool);
  expect_formula(filters_of(*higher));
}

TEST_P(WholeFiltersOf, DoNotDependOnThreads) {
  const Ratings ratings = random_ratings({.users = 60, .items = GetParam(), .density = 0.15}, 5);
  const CaGf settings = settings_of({outward(0.85), {{0.1, 0.2, 0.3}, 1.1}}, ratings);
  ThreadPool one(1);
  ThreadPool five(5);
  const auto a = fitted(ratings, settings, one);
  const auto b = fitted(ratings, settings, five);
  EXPECT_TRUE(std::ranges::equal(filters_of(*a).entries, filters_of(*b).entries));
}

INSTANTIATE_TEST_SUITE_P(Items, WholeFiltersOf,
                         ::testing::Values(1, 2, 16, 31, 33, 127, 128, 129, 300));

class WholeScores : public ::testing::Test {
 protected:
  std::vector<List> lists(const CaGfRecommender& model, std::span<const Query> queries,
                          unsigned threads = 2) const {
    std::vector<List> out(queries.size());
    ThreadPool pool(threads);
    model.recommend(queries, out, pool);
    return out;
  }

  ThreadPool pool_{2};
  Ratings ratings_ = random_ratings(
      {.users = 150, .items = 200, .criteria = 4, .density = 0.1, .missing = 0.2}, 9);
  CaGf settings_ = settings_of({outward(0.85), linear(0.6), inward(1.5)}, ratings_);
  std::unique_ptr<CaGfRecommender> whole_ = fitted(ratings_, settings_, pool_);
  std::unique_ptr<CaGfRecommender> dense_ = fitted(ratings_, settings_, pool_, 0, 0);
};

TEST_F(WholeScores, AreThoseOfTheDenseGraph) {
  ASSERT_EQ(whole_->computation().storage, Storage::whole);
  ASSERT_EQ(dense_->computation().storage, Storage::dense);
  const std::vector<float> weights = {0.5F, 2.0F, 0.0F, 1.0F};
  std::vector<float> mine(ratings_.items());
  std::vector<float> theirs(ratings_.items());
  for (std::uint32_t u = 0; u < ratings_.users(); ++u) {
    Query query{.ratings = ratings_.of(u)};
    if (u % 2 == 1) query.term_weights = weights;
    whole_->score(query, mine);
    dense_->score(query, theirs);
    float largest = 0;  // terms may cancel
    for (const float score : theirs) largest = std::max(largest, std::abs(score));
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_NEAR(mine[i], theirs[i], 1e-5F * std::abs(theirs[i]) + 1e-6F * largest)
          << "user " << u;
    }
  }
}

// Swaps only among scores that are close.
TEST_F(WholeScores, ListsAreThoseOfTheDenseGraph) {
  std::vector<Query> queries;
  for (std::uint32_t u = 0; u < ratings_.users(); ++u) queries.push_back({ratings_.of(u)});
  const auto mine = lists(*whole_, queries);
  const auto theirs = lists(*dense_, queries);
  for (std::size_t u = 0; u < queries.size(); ++u) {
    ASSERT_EQ(mine[u].size(), theirs[u].size());
    for (std::size_t k = 0; k < mine[u].size(); ++k) {
      ASSERT_NEAR(mine[u][k].score, theirs[u][k].score, 1e-5F * std::abs(theirs[u][k].score));
      if (mine[u][k].item == theirs[u][k].item) continue;
      const bool close = std::ranges::any_of(theirs[u], [&](const ScoredItem& one) {
        return std::abs(one.score - mine[u][k].score) <= 1e-5F * std::abs(one.score);
      });
      ASSERT_TRUE(close) << "user " << u << ", place " << k;
    }
  }
}

TEST_F(WholeScores, AskedForSomeItemsAreThoseOfAll) {
  const std::vector<std::uint32_t> some = {199, 0, 17, 17, 64};
  const std::size_t width = ratings_.criteria().size();
  std::vector<float> all(ratings_.items() * width);
  std::vector<float> few(some.size() * width);
  std::vector<std::uint32_t> every(ratings_.items());
  std::iota(every.begin(), every.end(), 0U);
  const Query query{.ratings = ratings_.of(3)};
  whole_->score_by_criterion(query, every, all);
  whole_->score_by_criterion(query, some, few);
  for (std::size_t k = 0; k < some.size(); ++k) {
    for (std::size_t c = 0; c < width; ++c) {
      EXPECT_EQ(few[k * width + c], all[some[k] * width + c]);
    }
  }
}

TEST_F(WholeScores, SomeoneWithoutRatingsGetsNoScores) {
  std::vector<float> scores(ratings_.items(), 1.0F);
  whole_->score({}, scores);
  EXPECT_TRUE(std::ranges::all_of(scores, [](float s) { return s == 0; }));
}

TEST_F(WholeScores, SavedAndLoadedAreTheSame) {
  Parts parts;
  whole_->save(parts);
  const auto loaded =
      CaGfRecommender::load(parts, plan_ca_gf(settings_, ratings_.criteria()), ratings_);
  EXPECT_EQ(loaded->computation().storage, Storage::whole);
  // Nothing is computed or copied.
  EXPECT_EQ(filters_of(*loaded).entries.data(), filters_of(*whole_).entries.data());
  std::vector<Query> queries;
  for (std::uint32_t u = 0; u < ratings_.users(); ++u) queries.push_back({ratings_.of(u)});
  EXPECT_EQ(lists(*loaded, queries), lists(*whole_, queries));
  EXPECT_EQ(loaded->similar(5, 10), dense_->similar(5, 10));
}

TEST_F(WholeScores, DamagedFiltersAreRefused) {
  Parts parts;
  whole_->save(parts);
  Part& part = parts.arrays.at("method/whole");
  part.bytes = part.bytes.first(part.bytes.size() - 4 * kernels::score_width);
  try {
    static_cast<void>(
        CaGfRecommender::load(parts, plan_ca_gf(settings_, ratings_.criteria()), ratings_));
    FAIL() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
  }
}

}  // namespace
}  // namespace palate
