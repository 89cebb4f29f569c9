// Scores of 32 items from a strip.
#include "kernels/lists/strip_score.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "random_vector.hpp"
#include "support/targets.hpp"

namespace palate::kernels {
namespace {

using testing::on_every_target;

TEST(ScoreStrip, EqualsTheDoubleSumOverRowsAndMatrices) {
  constexpr std::uint32_t n = 50;
  for (const std::size_t matrices : {1, 2, 3, 4, 7}) {
    const auto strip = random_vector(n * matrices * score_width, matrices);
    for (const std::size_t count : {0, 1, 2, 3, 4, 7, 41}) {
      std::vector<std::uint32_t> rows;
      for (std::uint32_t k = 0; k < count; ++k) rows.push_back((k * 29 + 3) % n);
      const auto x = random_vector(count * matrices, 10 + count);
      on_every_target([&] {
        std::array<float, score_width> out;
        out.fill(-1.0F);
        score_strip(strip.data(), matrices, rows, x.data(), 0.0F, out.data());
        for (std::size_t c = 0; c < score_width; ++c) {
          double sum = 0;
          double size = 0;
          for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t m = 0; m < matrices; ++m) {
              const double term =
                  static_cast<double>(x[k * matrices + m]) *
                  static_cast<double>(strip[(rows[k] * matrices + m) * score_width + c]);
              sum += term;
              size += std::abs(term);
            }
          }
          ASSERT_NEAR(static_cast<double>(out[c]), sum, 2e-6 * size)
              << matrices << " matrices, " << count << " rows, column " << c;
        }
      });
    }
  }
}

TEST(ScoreStrip, SaysWhichScoresAreHighEnough) {
  const auto strip = random_vector(score_width, 5);
  const std::vector<std::uint32_t> rows = {0};
  const float one = 1.0F;
  on_every_target([&] {
    std::array<float, score_width> out;
    for (const float least : {-1.0F, 0.5F, strip[3], strip[31], 2.0F}) {
      std::uint32_t expected = 0;
      for (std::size_t c = 0; c < score_width; ++c) expected |= strip[c] >= least ? 1U << c : 0U;
      EXPECT_EQ(score_strip(strip.data(), 1, rows, &one, least, out.data()), expected) << least;
    }
    EXPECT_EQ(
        score_strip(strip.data(), 1, {}, nullptr, std::numeric_limits<float>::lowest(), out.data()),
        ~0U);
  });
}

}  // namespace
}  // namespace palate::kernels
