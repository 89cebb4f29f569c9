// A subspace may be any; what it says of the rows of a graph must be true.
#include "core/subspace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/errors.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using testing::random_ratings;
using testing::thrown_by;

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<double> widened(const Array<float>& values) { return {values.begin(), values.end()}; }

// |p_i p_j - W_i W_j| <= |p_i'| |p_j'|, the primes being what lies outside: lists rest on it, with
// room for rounding.
TEST(Subspace, BoundsWhatItLeavesOut) {
  ThreadPool pool(2);
  for (const std::size_t items : {1, 12, 40, 150}) {
    for (const std::size_t rank : {0, 16, 32}) {
      const Ratings ratings = random_ratings({.users = 50, .items = items, .density = 0.3}, items);
      const ItemGraph graph = build_item_graph(ratings, 0b1111, pool);
      const Array<float> values = hadamard_power(graph.values, 0.6, pool);
      const Subspace space = leading_subspace(graph.pattern, values, rank, 3, pool);
      ASSERT_EQ(space.rank, rank);
      ASSERT_EQ(space.coordinates.size(), items * rank);
      std::vector<double> p(items * items, 0.0);
      for (std::size_t i = 0; i < items; ++i) {
        const auto row = graph.pattern.row(i);
        for (std::size_t k = 0; k < row.size(); ++k) {
          p[i * items + row[k]] = static_cast<double>(values[graph.pattern.offsets[i] + k]);
        }
      }
      const std::vector<double> w = widened(space.coordinates);
      const std::vector<double> outside = widened(space.outside);
      for (std::size_t i = 0; i < items; ++i) {
        const double length = std::sqrt(dot(&p[i * items], &p[i * items], items));
        EXPECT_NEAR(static_cast<double>(space.lengths[i]), length, 1e-5 * length);
        for (std::size_t j = 0; j < items; ++j) {
          const double exact = dot(&p[i * items], &p[j * items], items);
          const double rounding =
              1e-6 * static_cast<double>(space.lengths[i]) * static_cast<double>(space.lengths[j]);
          const double estimate = dot(w.data() + i * rank, w.data() + j * rank, rank);
          EXPECT_LE(std::abs(exact - estimate), outside[i] * outside[j] + rounding)
              << i << ", " << j;
        }
      }
    }
  }
}

TEST(Subspace, IsTheSameOnAnyNumberOfThreads) {
  ThreadPool one(1);
  ThreadPool four(4);
  const Ratings ratings = random_ratings({.users = 60, .items = 90}, 3);
  const ItemGraph graph = build_item_graph(ratings, 0b1111, one);
  const Subspace a = leading_subspace(graph.pattern, graph.values, 32, 3, one);
  const Subspace b = leading_subspace(graph.pattern, graph.values, 32, 3, four);
  EXPECT_TRUE(std::ranges::equal(a.coordinates, b.coordinates));
  EXPECT_TRUE(std::ranges::equal(a.lengths, b.lengths));
  EXPECT_TRUE(std::ranges::equal(a.outside, b.outside));
}

TEST(Subspace, ComesBackFromItsPartsAndRefusesDamage) {
  ThreadPool pool(1);
  const Ratings ratings = random_ratings({.items = 20}, 1);
  const ItemGraph graph = build_item_graph(ratings, 0b1111, pool);
  const Subspace space = leading_subspace(graph.pattern, graph.values, 16, 2, pool);
  Parts parts;
  space.save(parts, "s");
  const Subspace back = Subspace::load(parts, "s", 20);
  EXPECT_EQ(back.rank, 16U);
  EXPECT_TRUE(std::ranges::equal(back.coordinates, space.coordinates));
  EXPECT_TRUE(std::ranges::equal(back.outside, space.outside));
  for (const char* name : {"s/coordinates", "s/lengths", "s/outside"}) {
    Parts shorter = parts;
    shorter.put(name, Array<float>(std::vector<float>(19)));
    const Error error = thrown_by([&] { static_cast<void>(Subspace::load(shorter, "s", 20)); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << name;
    shorter.arrays.erase(name);
    EXPECT_EQ(thrown_by([&] { static_cast<void>(Subspace::load(shorter, "s", 20)); }).code(),
              ErrorCode::corrupt);
  }
}

}  // namespace
}  // namespace palate
