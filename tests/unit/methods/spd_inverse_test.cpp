// The inverse in tiles, against the definition: the matrix times its inverse is the identity.
#include "methods/linear/spd_inverse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "support/errors.hpp"

namespace palate {
namespace {

template <class Number>
std::vector<Number> diagonally_strong(std::size_t order) {
  Random random(order);
  std::vector<Number> out(order * order);
  for (std::size_t c = 0; c < order; ++c) {
    for (std::size_t r = c; r < order; ++r) {
      out[c * order + r] = static_cast<Number>(random.uniform() < 0.2 ? random.uniform() : 0);
    }
    out[c * order + c] = static_cast<Number>(2 + 0.15 * static_cast<double>(order));
  }
  return out;
}

template <class Number>
double at(const std::vector<Number>& lower, std::size_t order, std::size_t i, std::size_t j) {
  return static_cast<double>(lower[std::min(i, j) * order + std::max(i, j)]);
}

template <class Number>
std::vector<Number> inverted(std::vector<Number> matrix, std::size_t order, unsigned threads) {
  ThreadPool pool(threads);
  const Progress nobody;
  Stages stages;
  invert_spd(std::span<Number>(matrix), order, {pool, nobody, stages});
  return matrix;
}

template <class Number>
void expect_inverse(std::size_t order, double tolerance) {
  const auto matrix = diagonally_strong<Number>(order);
  const auto inverse = inverted(matrix, order, 2);
  const std::size_t step = 1 + order / 40;  // some rows of larger ones
  for (std::size_t i = 0; i < order; i += step) {
    for (std::size_t j = 0; j < order; j += step) {
      double sum = 0;
      for (std::size_t k = 0; k < order; ++k) {
        sum += at(matrix, order, i, k) * at(inverse, order, k, j);
      }
      ASSERT_NEAR(sum, i == j ? 1 : 0, tolerance) << order << ": " << i << ", " << j;
    }
  }
}

TEST(SpdInverse, TimesTheMatrixIsTheIdentity) {
  // One tile and several, whole and not.
  for (const std::size_t order : {1, 2, 47, 191, 192, 193, 384, 500}) {
    expect_inverse<float>(order, 1e-4);
    expect_inverse<double>(order, 1e-12);
  }
}

TEST(SpdInverse, IsTheSameToTheBitOnAnyNumberOfThreads) {
  const auto matrix = diagonally_strong<float>(600);
  const auto one = inverted(matrix, 600, 1);
  const auto four = inverted(matrix, 600, 4);
  for (std::size_t c = 0; c < 600; ++c) {
    for (std::size_t r = c; r < 600; ++r) ASSERT_EQ(one[c * 600 + r], four[c * 600 + r]);
  }
}

TEST(SpdInverse, RefusesWhatIsNotPositiveDefinite) {
  auto matrix = diagonally_strong<float>(300);
  matrix[250 * 300 + 250] = -1;
  EXPECT_EQ(testing::thrown_by([&] { static_cast<void>(inverted(matrix, 300, 2)); }).code(),
            ErrorCode::bad_input);
}

}  // namespace
}  // namespace palate
