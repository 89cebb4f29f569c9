// Boosts against std::exp.
#include "kernels/lists/boosts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/recommender.hpp"
#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

TEST(Boosts, AreExponentialsOfTheSums) {
  for (const std::size_t items : {0, 1, 15, 16, 17, 100}) {
    const auto a = random_vector(items, 1);
    const auto b = random_vector(items, 2);
    const std::vector<const float*> z = {a.data(), b.data()};
    const std::vector<float> steps = {0.7F, -60.0F};
    testing::on_every_target([&] {
      std::vector<float> out(items, -1.0F);
      exp_of_sums(z, steps, out);
      for (std::size_t i = 0; i < items; ++i) {
        const double sum = 0.7 * static_cast<double>(a[i]) - 60.0 * static_cast<double>(b[i]);
        const double expected = std::exp(std::clamp(sum, -40.0, 40.0));
        ASSERT_NEAR(static_cast<double>(out[i]), expected, 2e-5 * expected);
      }
    });
  }
}

TEST(Boosts, OfScoresAreThoseOfOneScore) {
  for (const std::size_t items : {0, 1, 15, 16, 17, 100}) {
    auto scores = random_vector(items, 1);
    auto boost = random_vector(items, 2);
    for (float& one : boost) one = 0.01F + std::abs(one);
    if (items > 1) scores[1] = 0;
    testing::on_every_target([&] {
      std::vector<float> out = scores;
      boost_scores(out, boost);
      for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(out[i], boosted(scores[i], boost[i]));
    });
  }
}

}  // namespace
}  // namespace palate::kernels
