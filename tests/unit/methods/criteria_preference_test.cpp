// How much each person weighs each criterion, against the formula written out.
#include "methods/ca_gf/criteria_preference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/slow_twin.hpp"
#include "unit/methods/sample_data.hpp"

namespace palate {
namespace {

using ::testing::Each;
using testing::Matrix;

std::vector<double> of(const CriteriaPreference& preference, const UserRatings& row,
                       std::size_t criteria) {
  std::vector<double> out(criteria, -1.0);
  preference.of(row, out);
  return out;
}

TEST(CriteriaPreference, IsTheFormula) {
  for (const auto& [name, ratings] : testing::sample_data()) {
    std::vector<Matrix> matrices;
    for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
      matrices.push_back(testing::dense(ratings, c));
    }
    for (const double power : {0.5, 1.0, 2.0, 4.0}) {
      const auto preference = CriteriaPreference::fit(ratings, power);
      const Matrix expected =
          testing::multiply(testing::shares(matrices), testing::adjusted_criteria(matrices, power));
      for (std::uint32_t u = 0; u < ratings.users(); ++u) {
        const auto got = of(preference, ratings.of(u), ratings.criteria().size());
        for (std::size_t c = 0; c < got.size(); ++c) {
          ASSERT_NEAR(got[c], expected[u][c], 1e-9 * expected[u][c]) << name << ", user " << u;
        }
      }
    }
  }
}

TEST(CriteriaPreference, WithoutAPowerEverybodyWeighsAllAlike) {
  const Ratings ratings = testing::with_gaps();
  const auto preference = CriteriaPreference::fit(ratings, std::nullopt);
  EXPECT_TRUE(preference.adjusted().empty());
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    EXPECT_THAT(of(preference, ratings.of(u), 4), Each(1.0));
  }
}

TEST(CriteriaPreference, SomeoneWithoutRatingsWeighsNothing) {
  const Ratings ratings = testing::with_gaps();
  const auto preference = CriteriaPreference::fit(ratings, 2.0);
  EXPECT_THAT(of(preference, {}, 4), Each(0.0));
}

TEST(CriteriaPreference, CriterionNobodyRatedWeighsNothing) {
  const Ratings ratings = testing::with_gaps();
  const auto preference = CriteriaPreference::fit(ratings, 2.0);
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    EXPECT_EQ(of(preference, ratings.of(u), 4)[2], 0);
  }
}

TEST(CriteriaPreference, PowerThatOverflowsIsAnError) {
  const Ratings ratings = testing::random_ratings({.users = 400, .items = 10, .criteria = 1}, 1);
  const Error error =
      testing::thrown_by([&] { static_cast<void>(CriteriaPreference::fit(ratings, 20.0)); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_FALSE(error.hint().empty());
}

}  // namespace
}  // namespace palate
