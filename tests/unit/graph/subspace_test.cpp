// A subspace may be any; what it says of the rows of a graph must be true.
#include "graph/subspace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"
#include "unit/graph/dense_rows.hpp"

namespace palate {
namespace {

using testing::dense_row;
using testing::random_ratings;
using testing::thrown_by;

const std::vector<double> powers = {0.6, 1.0, 1.5};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

DenseGraph graph_of(const Ratings& ratings, ThreadPool& pool) {
  const auto all = static_cast<CriterionSet>((1U << ratings.criteria().size()) - 1);
  return DenseGraph::build(ratings, all, popularity_order(ratings), pool);
}

std::vector<std::vector<double>> matrix_of(const DenseGraph& graph, double power) {
  std::vector<std::vector<double>> p;
  for (std::size_t i = 0; i < graph.items(); ++i) p.push_back(dense_row(graph, i, power));
  return p;
}

std::vector<double> row_of(const Subspace& space, std::size_t i) {
  const float* from = space.coordinates.data() + i * space.rank;
  return {from, from + space.rank};
}

class SubspaceOf : public ::testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] std::size_t items() const { return GetParam(); }
  ThreadPool pool{2};
  Ratings ratings = random_ratings({.users = 50, .items = GetParam(), .density = 0.3}, GetParam());
  DenseGraph graph = graph_of(ratings, pool);
};

// For any x, y = x P: |y p_i - (y Z)(Z^T p_i)| <= |y'| |p_i'|, the primes being what lies outside;
// lists rest on it. It holds only if Z is orthonormal.
TEST_P(SubspaceOf, BoundsWhatItLeavesOut) {
  for (const std::size_t rank : {8, 16, 24, 32}) {
    const auto spaces = leading_subspaces(graph, powers, {.rank = rank}, pool);
    ASSERT_EQ(spaces.size(), powers.size());
    for (std::size_t n = 0; n < powers.size(); ++n) {
      const Subspace& space = spaces[n];
      ASSERT_EQ(space.rank, rank);
      ASSERT_EQ(space.coordinates.size(), items() * rank);
      const auto p = matrix_of(graph, powers[n]);
      Random random(items() + rank);
      for (int round = 0; round < 20; ++round) {
        // Few ratings, as people have, and some signed ones.
        std::vector<double> y(items(), 0.0);
        std::vector<double> inside(rank, 0.0);
        for (std::size_t j = 0; j < items(); ++j) {
          if (random.uniform() > 0.2 && items() > 1) continue;
          const double x = round % 2 == 0 ? 5 * random.uniform() : random.normal();
          for (std::size_t i = 0; i < items(); ++i) y[i] += x * p[j][i];
          const auto w = row_of(space, j);
          for (std::size_t r = 0; r < rank; ++r) inside[r] += x * w[r];
        }
        const double whole = dot(y, y);
        EXPECT_LE(dot(inside, inside), whole * (1 + 1e-5)) << "Z is not orthonormal";
        const double left = std::sqrt(std::max(0.0, whole - dot(inside, inside)) + 1e-6 * whole);
        for (std::size_t i = 0; i < items(); ++i) {
          const double radius = left * static_cast<double>(space.outside[i]) +
                                3e-6 * std::sqrt(whole) * static_cast<double>(space.lengths[i]);
          EXPECT_LE(std::abs(dot(y, p[i]) - dot(inside, row_of(space, i))), radius)
              << i << " of power " << powers[n] << ", |y| |p_i| being "
              << std::sqrt(whole) * static_cast<double>(space.lengths[i]) << " and of them outside "
              << left / std::sqrt(whole) << " and " << space.outside[i] / space.lengths[i];
        }
      }
    }
  }
}

TEST_P(SubspaceOf, KnowsTheLengthsOfRowsAndOfTheirRests) {
  const auto spaces = leading_subspaces(graph, powers, {.rank = 32}, pool);
  for (std::size_t n = 0; n < powers.size(); ++n) {
    const auto p = matrix_of(graph, powers[n]);
    for (std::size_t i = 0; i < items(); ++i) {
      const double whole = dot(p[i], p[i]);
      const auto w = row_of(spaces[n], i);
      EXPECT_NEAR(static_cast<double>(spaces[n].lengths[i]), std::sqrt(whole),
                  1e-6 * std::sqrt(whole));
      const double rest = whole - dot(w, w);
      const double outside = static_cast<double>(spaces[n].outside[i]);
      EXPECT_GE(outside * outside, rest - 1e-6 * whole);
      EXPECT_LE(outside * outside, std::max(0.0, rest) + 1e-5 * whole);
    }
  }
}

TEST_P(SubspaceOf, CarriesMostOfTheGraph) {
  const std::vector<double> one = {1.0};
  const Subspace space = leading_subspaces(graph, one, {.rank = 16}, pool)[0];
  double inside = 0;
  double whole = 0;
  for (std::size_t i = 0; i < items(); ++i) {
    const auto w = row_of(space, i);
    const auto p = dense_row(graph, i, 1.0);
    inside += dot(w, w);
    whole += dot(p, p);
  }
  EXPECT_GT(inside, 0.5 * whole);
}

INSTANTIATE_TEST_SUITE_P(Items, SubspaceOf, ::testing::Values(1, 15, 16, 17, 33, 130));

// With more directions than items, nothing is left out: W W^T = P P^T.
TEST(Subspace, LeavesNothingOutWhereAllFits) {
  ThreadPool pool(2);
  for (const std::size_t items : {1, 15, 16, 17}) {
    const Ratings ratings = random_ratings({.users = 50, .items = items, .density = 0.3}, items);
    const DenseGraph graph = graph_of(ratings, pool);
    const auto spaces = leading_subspaces(graph, powers, {.rank = 32}, pool);
    for (std::size_t n = 0; n < powers.size(); ++n) {
      const auto p = matrix_of(graph, powers[n]);
      double largest = 0;
      for (const auto& one : p) largest = std::max(largest, dot(one, one));
      for (std::size_t i = 0; i < items; ++i) {
        for (std::size_t j = 0; j < items; ++j) {
          EXPECT_NEAR(dot(row_of(spaces[n], i), row_of(spaces[n], j)), dot(p[i], p[j]),
                      1e-4 * largest);
        }
      }
    }
  }
}

TEST(Subspace, OfAGraphWithoutLinksIsNothing) {
  ThreadPool pool(1);
  const Ratings ratings = random_ratings({.users = 3, .items = 20, .density = 0}, 1);
  const auto spaces = leading_subspaces(graph_of(ratings, pool), powers, {}, pool);
  for (const Subspace& space : spaces) {
    for (const float w : space.coordinates) EXPECT_EQ(w, 0.0F);
    for (const float length : space.lengths) EXPECT_EQ(length, 0.0F);
  }
}

TEST(Subspace, NoPowersGiveNone) {
  ThreadPool pool(1);
  const Ratings ratings = random_ratings({.items = 20}, 1);
  EXPECT_TRUE(leading_subspaces(graph_of(ratings, pool), {}, {}, pool).empty());
}

TEST(Subspace, IsTheSameOnAnyNumberOfThreads) {
  ThreadPool one(1);
  ThreadPool four(4);
  const DenseGraph graph = graph_of(random_ratings({.users = 60, .items = 190}, 3), one);
  const auto a = leading_subspaces(graph, powers, {.rank = 32}, one);
  const auto b = leading_subspaces(graph, powers, {.rank = 32}, four);
  for (std::size_t n = 0; n < powers.size(); ++n) {
    EXPECT_TRUE(std::ranges::equal(a[n].coordinates, b[n].coordinates));
    EXPECT_TRUE(std::ranges::equal(a[n].lengths, b[n].lengths));
    EXPECT_TRUE(std::ranges::equal(a[n].outside, b[n].outside));
  }
}

// A power must give the same alone and among others.
TEST(Subspace, OtherPowersChangeNothing) {
  ThreadPool pool(2);
  const DenseGraph graph = graph_of(random_ratings({.users = 60, .items = 50}, 3), pool);
  const auto all = leading_subspaces(graph, powers, {}, pool);
  for (std::size_t n = 0; n < powers.size(); ++n) {
    const auto alone = leading_subspaces(graph, std::span(powers).subspan(n, 1), {}, pool);
    EXPECT_TRUE(std::ranges::equal(alone[0].coordinates, all[n].coordinates));
  }
}

TEST(Subspace, ComesBackFromItsPartsAndRefusesDamage) {
  ThreadPool pool(1);
  const DenseGraph graph = graph_of(random_ratings({.items = 20}, 1), pool);
  const std::vector<double> one = {1.0};
  const Subspace space = leading_subspaces(graph, one, {.rank = 16}, pool)[0];
  Parts parts;
  space.save(parts, "s");
  const Subspace back = Subspace::load(parts, "s", 20);
  EXPECT_EQ(back.rank, 16U);
  EXPECT_TRUE(std::ranges::equal(back.coordinates, space.coordinates));
  EXPECT_TRUE(std::ranges::equal(back.lengths, space.lengths));
  EXPECT_TRUE(std::ranges::equal(back.outside, space.outside));
  const auto refused = [](const Parts& damaged, const char* what) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(Subspace::load(damaged, "s", 20)); }).code(),
              ErrorCode::corrupt)
        << what;
  };
  for (const char* name : {"s/coordinates", "s/lengths", "s/outside"}) {
    Parts damaged = parts;
    damaged.put(name, Array<float>(std::vector<float>(19)));
    refused(damaged, name);
    damaged.arrays.erase(name);
    refused(damaged, name);
  }
  Parts damaged = parts;
  damaged.put("s/coordinates", Array<float>(std::vector<float>(20 * 15)));
  refused(damaged, "a rank of 15");
  damaged.put("s/coordinates", Array<float>());
  refused(damaged, "no directions");
}

TEST(Subspace, WithoutLengthsComesBackToo) {
  ThreadPool pool(1);
  const DenseGraph graph = graph_of(random_ratings({.items = 20}, 1), pool);
  const Subspace space =
      leading_subspaces(graph, std::vector<double>{1.0}, {.rank = 16, .lengths = false}, pool)[0];
  EXPECT_TRUE(space.lengths.empty());
  Parts parts;
  space.save(parts, "s");
  EXPECT_TRUE(Subspace::load(parts, "s", 20).lengths.empty());
}

}  // namespace
}  // namespace palate
