// The item graph against the formula written out, and what is refused when one is loaded.
#include "graph/item_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "support/errors.hpp"
#include "support/random_ratings.hpp"
#include "support/slow_twin.hpp"

namespace palate {
namespace {

using testing::dense;
using testing::Matrix;
using testing::random_ratings;
using testing::RandomShape;
using testing::thrown_by;
using testing::zeros;

const std::vector<RandomShape> shapes = {
    {},
    {.users = 60, .items = 200, .criteria = 2, .density = 0.01},  // few links per row
    {.users = 50, .items = 30, .criteria = 5, .density = 0.9, .missing = 0.6},
    {.users = 1, .items = 9, .criteria = 2, .density = 0.5},
    {.users = 40, .items = 1, .criteria = 2, .density = 0.5},
    {.users = 6, .items = 7, .criteria = 1, .density = 0.0},
};

Matrix dense_graph(const ItemGraph& graph) {
  const std::size_t items = graph.pattern.items();
  Matrix out = zeros(items, items);
  for (std::size_t i = 0; i < items; ++i) {
    const auto row = graph.pattern.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out[i][row[k]] += static_cast<double>(graph.values[graph.pattern.offsets[i] + k]);
    }
  }
  return out;
}

void expect_near(const Matrix& got, const Matrix& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    for (std::size_t j = 0; j < got.size(); ++j) {
      ASSERT_NEAR(got[i][j], expected[i][j], 1e-6 * expected[i][j] + 1e-12) << i << ", " << j;
    }
  }
}

CriterionSet all_of(const Ratings& ratings) {
  return (CriterionSet{1} << ratings.criteria().size()) - 1;
}

TEST(ItemGraph, IsTheFormulaForAnySetOfCriteria) {
  ThreadPool pool(2);
  for (const RandomShape& shape : shapes) {
    const Ratings ratings = random_ratings(shape, 11);
    for (CriterionSet set = 1; set <= all_of(ratings); set = set * 2 + 1) {
      std::vector<Matrix> chosen;
      for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
        if ((set >> c & 1U) != 0) chosen.push_back(dense(ratings, c));
      }
      SCOPED_TRACE("items " + std::to_string(shape.items) + ", set " + std::to_string(set));
      expect_near(dense_graph(build_item_graph(ratings, set, pool)), testing::graph(chosen));
    }
  }
}

// sum_j P_ij sqrt(d_j) = sqrt(d_i): the largest eigenvalue is 1.
TEST(ItemGraph, RootsOfTheItemSumsAreAFixedPoint) {
  ThreadPool pool(2);
  for (const RandomShape& shape : shapes) {
    const Ratings ratings = random_ratings(shape, 5);
    std::vector<double> root(ratings.items(), 0.0);
    for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
      for (const auto& row : dense(ratings, c)) {
        for (std::size_t i = 0; i < row.size(); ++i) root[i] += row[i];
      }
    }
    for (double& d : root) d = std::sqrt(d);
    const Matrix p = dense_graph(build_item_graph(ratings, all_of(ratings), pool));
    for (std::size_t i = 0; i < root.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < root.size(); ++j) sum += p[i][j] * root[j];
      EXPECT_NEAR(sum, root[i], 1e-5 * root[i]);
    }
  }
}

TEST(ItemGraph, IsTheSameWithAnyNumberOfThreads) {
  const Ratings ratings = random_ratings({.users = 90, .items = 120}, 3);
  ThreadPool one(1);
  ThreadPool four(4);
  const ItemGraph a = build_item_graph(ratings, all_of(ratings), one);
  const ItemGraph b = build_item_graph(ratings, all_of(ratings), four);
  EXPECT_TRUE(std::ranges::equal(a.pattern.columns, b.pattern.columns));
  EXPECT_TRUE(std::ranges::equal(a.pattern.offsets, b.pattern.offsets));
  EXPECT_TRUE(std::ranges::equal(a.values, b.values));
}

TEST(ItemGraph, RatingOfZeroLinksNothing) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "a", std::vector<float>{0});
  builder.add("u", "b", std::vector<float>{4});
  builder.add("only zeros", "a", std::vector<float>{0});
  ThreadPool pool(1);
  const ItemGraph graph = build_item_graph(builder.build(), 1, pool);
  EXPECT_EQ(dense_graph(graph), (Matrix{{0, 0}, {0, 1}}));
}

TEST(ItemGraph, HugeAndTinyRatingsStayFinite) {
  RatingsBuilder builder({"overall"});
  builder.add("u", "a", std::vector<float>{std::numeric_limits<float>::max()});
  builder.add("u", "b", std::vector<float>{std::numeric_limits<float>::max()});
  builder.add("v", "b", std::vector<float>{std::numeric_limits<float>::denorm_min()});
  builder.add("v", "c", std::vector<float>{std::numeric_limits<float>::denorm_min()});
  ThreadPool pool(1);
  const Ratings ratings = builder.build();
  for (const float value : build_item_graph(ratings, 1, pool).values) {
    EXPECT_TRUE(std::isfinite(value));
  }
  const auto plain = [](std::size_t, std::size_t, double sum) { return 1e-60 * sum; };
  for (const float value : build_pair_graph(ratings, 0, plain, pool).values) {
    EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(ItemGraph, StopsWhenAsked) {
  const Ratings ratings = random_ratings({.items = 60}, 1);
  ThreadPool pool(2);
  const Error error = thrown_by([&] {
    static_cast<void>(build_item_graph(ratings, 1, pool, [](auto, auto, auto) { return false; }));
  });
  EXPECT_EQ(error.code(), ErrorCode::cancelled);
}

TEST(PairGraph, GivesEveryPairThatSomeoneRatedTheSumOfItsProducts) {
  ThreadPool pool(2);
  for (const RandomShape& shape : shapes) {
    const Ratings ratings = random_ratings(shape, 21);
    const auto value = [](std::size_t i, std::size_t j, double sum) {
      return sum / (1.0 + static_cast<double>(i + j));
    };
    for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
      const Matrix r = dense(ratings, c);
      Matrix expected = zeros(ratings.items(), ratings.items());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t j = 0; j < expected.size(); ++j) {
          double sum = 0;
          for (const auto& row : r) sum += row[i] * row[j];
          expected[i][j] = value(i, j, sum);
        }
      }
      expect_near(dense_graph(build_pair_graph(ratings, c, value, pool)), expected);
    }
  }
}

TEST(HadamardPower, RaisesEveryEntryAndKeepsZero) {
  ThreadPool pool(2);
  std::vector<float> entries = {0, 1, 0.5F, 1e-6F, 3};
  for (const double power : {0.1, 0.85, 1.0, 1.6, 20.0}) {
    const Array<float> raised = hadamard_power(entries, power, pool);
    ASSERT_EQ(raised.size(), entries.size());
    EXPECT_EQ(raised[0], 0);
    EXPECT_EQ(raised[1], 1);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const double expected = std::pow(static_cast<double>(entries[k]), power);
      EXPECT_NEAR(static_cast<double>(raised[k]), expected, 2e-6 * expected + 1e-37) << power;
    }
  }
}

TEST(HadamardPower, OfNothingIsNothing) {
  ThreadPool pool(2);
  EXPECT_TRUE(hadamard_power(Array<float>(), 0.5, pool).empty());
}

Parts pattern_parts(std::vector<std::uint64_t> offsets, std::vector<std::uint32_t> columns) {
  Parts parts;
  parts.put("g/offsets", Array<std::uint64_t>(std::move(offsets)));
  parts.put("g/columns", Array<std::uint32_t>(std::move(columns)));
  return parts;
}

TEST(GraphPattern, ComesBackFromItsParts) {
  ThreadPool pool(1);
  const Ratings ratings = random_ratings({}, 2);
  const GraphPattern pattern = build_item_graph(ratings, 1, pool).pattern;
  Parts parts;
  pattern.save(parts, "g");
  const GraphPattern back = GraphPattern::load(parts, "g", ratings.items());
  EXPECT_TRUE(std::ranges::equal(back.columns, pattern.columns));
  EXPECT_TRUE(std::ranges::equal(back.offsets, pattern.offsets));
}

TEST(GraphPattern, RefusesDamage) {
  ASSERT_EQ(GraphPattern::load(pattern_parts({0, 2, 3}, {0, 1, 0}), "g", 2).entries(), 3U);
  const auto code = [](const Parts& parts, std::size_t items) {
    return thrown_by([&] { static_cast<void>(GraphPattern::load(parts, "g", items)); }).code();
  };
  EXPECT_EQ(code(pattern_parts({0, 2, 3}, {0, 1, 0}), 3), ErrorCode::corrupt) << "other size";
  EXPECT_EQ(code(pattern_parts({0, 2, 3}, {0, 2, 0}), 2), ErrorCode::corrupt) << "out of bounds";
  EXPECT_EQ(code(pattern_parts({0, 2, 3}, {1, 0, 0}), 2), ErrorCode::corrupt) << "out of order";
  EXPECT_EQ(code(pattern_parts({0, 2, 3}, {1, 1, 0}), 2), ErrorCode::corrupt) << "twice";
  EXPECT_EQ(code(pattern_parts({0, 2, 4}, {0, 1, 0}), 2), ErrorCode::corrupt) << "beyond the end";
  EXPECT_EQ(code(pattern_parts({0, 2, 2}, {0, 1, 0}), 2), ErrorCode::corrupt) << "before the end";
  EXPECT_EQ(code(pattern_parts({0, 9, 3}, {0, 1, 0}), 2), ErrorCode::corrupt) << "falling";
  EXPECT_EQ(code(pattern_parts({1, 2, 3}, {0, 1, 0}), 2), ErrorCode::corrupt) << "not from 0";
  EXPECT_EQ(code(pattern_parts({}, {}), 0), ErrorCode::corrupt) << "no offsets";
  EXPECT_EQ(code(Parts{}, 2), ErrorCode::corrupt) << "nothing";
}

// Each item's strongest links by N_ij = sum_u r_ui r_uj / d_u, and those that the other end keeps;
// a link has the value that it has in the whole graph. Sums that are all but equal may go either
// way.
TEST(BoundedGraph, KeepsTheStrongestLinksOfEitherEnd) {
  ThreadPool pool(2);
  for (const RandomShape& shape : shapes) {
    const Ratings ratings = random_ratings(shape, 4);
    const Matrix whole = dense_graph(build_item_graph(ratings, 1, pool));
    const std::size_t items = whole.size();
    Matrix sums = zeros(items, items);
    for (const auto& row : dense(ratings, 0)) {
      const double total = std::accumulate(row.begin(), row.end(), 0.0);
      for (std::size_t i = 0; i < items; ++i) {
        for (std::size_t j = 0; j < items && row[i] > 0; ++j) sums[i][j] += row[i] * row[j] / total;
      }
    }
    for (const std::size_t neighbours : {1, 3, 8}) {
      std::vector<double> least(items, 0.0);  // that an item keeps
      for (std::size_t i = 0; i < items && neighbours <= items; ++i) {
        std::vector<double> row = sums[i];
        std::sort(row.begin(), row.end(), std::greater<>());
        least[i] = row[neighbours - 1];
      }
      const ItemGraph graph = build_bounded_graph(ratings, 1, neighbours, pool);
      const Matrix bounded = dense_graph(graph);
      for (std::size_t i = 0; i < items; ++i) {
        const auto row = graph.pattern.row(i);
        EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
        for (std::size_t j = 0; j < items; ++j) {
          const double border = std::min(least[i], least[j]);
          if (bounded[i][j] != 0) {
            EXPECT_EQ(bounded[i][j], whole[i][j]);
            EXPECT_EQ(bounded[i][j], bounded[j][i]);
            EXPECT_GE(sums[i][j], border * (1 - 1e-6));
          } else if (whole[i][j] > 0) {
            EXPECT_LE(sums[i][j], border * (1 + 1e-6));
          }
        }
      }
    }
  }
}

TEST(BoundedGraph, IsTheWholeGraphWhereEveryLinkIsKept) {
  ThreadPool one(1);
  ThreadPool four(4);
  for (const RandomShape& shape : shapes) {
    const Ratings ratings = random_ratings(shape, 5);
    const ItemGraph whole = build_item_graph(ratings, 1, one);
    const ItemGraph all = build_bounded_graph(ratings, 1, shape.items, four);
    EXPECT_TRUE(std::ranges::equal(all.pattern.offsets, whole.pattern.offsets));
    EXPECT_TRUE(std::ranges::equal(all.pattern.columns, whole.pattern.columns));
    EXPECT_TRUE(std::ranges::equal(all.values, whole.values));
  }
}

}  // namespace
}  // namespace palate
