// The adaptive filter against its formulas written out.
#include "methods/adaptive/adaptive.hpp"

#include "methods/ease/ease.hpp"
#include "unit/methods/fitted_linear.hpp"

namespace palate {
namespace {

using testing::Matrix;
using testing::thrown_by;

auto fitted(const Ratings& ratings, const Adaptive& settings, auto... rest) {
  return testing::fitted_linear<Adaptive, fit_adaptive>(ratings, settings, rest...);
}

double power_or_zero(double value, double power) { return value > 0 ? std::pow(value, power) : 0; }

// Overall over the largest; the mean of the criteria where overall is missing; -1: not rated.
Matrix levels(const Ratings& ratings) {
  Matrix out = testing::zeros(ratings.users(), ratings.items());
  const std::size_t width = ratings.criteria().size();
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    std::fill(out[u].begin(), out[u].end(), -1.0);
    const UserRatings row = ratings.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      double sum = 0;
      double count = 0;
      for (std::size_t c = 0; c < width; ++c) {
        if ((row.present[k] >> c & 1U) == 0 || (c > 0 && (row.present[k] & 1U) != 0)) continue;
        sum += static_cast<double>(row.values[k * width + c] / ratings.criteria()[c].max);
        ++count;
      }
      out[u][row.items[k]] = sum / count;
    }
  }
  return out;
}

Matrix slow_weights(const Ratings& ratings, const Adaptive& s) {
  const std::size_t items = ratings.items();
  const Matrix given = levels(ratings);
  std::vector<double> raters(items, 0.0);
  Matrix n = testing::zeros(items, items);
  for (const auto& row : given) {
    double count = 0;
    for (std::size_t i = 0; i < items; ++i) {
      count += row[i] >= 0 ? 1 : 0;
      raters[i] += row[i] >= 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < items; ++i) {
      for (std::size_t j = 0; j < items; ++j) {
        if (row[i] < 0 || row[j] < 0) continue;
        n[i][j] += std::pow(count, -2 * s.user_power) * std::pow(row[i] * row[j], s.level_power);
      }
    }
  }
  Matrix k = testing::zeros(items, items);
  if (s.weights == Adaptive::Weights::graph) {
    for (std::size_t i = 0; i < items; ++i) {
      for (std::size_t j = 0; j < items; ++j) k[i][j] = power_or_zero(n[i][j], s.link_power);
    }
  } else {
    double diagonal = 0;
    double mean = 0;
    for (std::size_t i = 0; i < items; ++i) {
      diagonal += n[i][i] / static_cast<double>(items);
      mean += raters[i] / static_cast<double>(items);
    }
    Matrix a = testing::zeros(items, items);
    for (std::size_t i = 0; i < items; ++i) {
      for (std::size_t j = 0; j < items; ++j) {
        const double root = std::sqrt(n[i][i] * n[j][j]);
        if (root > 0) a[i][j] = root * power_or_zero(n[i][j] / root, s.link_power);
      }
      a[i][i] += s.lambda * diagonal * std::pow(std::max(raters[i], 1.0) / mean, s.lambda_power);
    }
    const Matrix q = testing::inverse(a);
    for (std::size_t j = 0; j < items; ++j) {
      for (std::size_t i = 0; i < items; ++i) k[j][i] = i == j ? 0 : -q[j][i] / q[i][i];
    }
  }
  for (std::size_t j = 0; j < items; ++j) {
    for (std::size_t i = 0; i < items; ++i) {
      k[j][i] *=
          power_or_zero(raters[j], -s.source_power) * power_or_zero(raters[i], -s.target_power);
    }
  }
  return k;
}

void expect_formula(const std::string& name, const Ratings& ratings, const Adaptive& settings) {
  const auto model = fitted(ratings, settings);
  const Matrix expected = slow_weights(ratings, settings);
  double largest = 0;
  for (const auto& row : expected) {
    for (const double w : row) largest = std::max(largest, std::abs(w));
  }
  for (std::uint32_t j = 0; j < ratings.items(); ++j) {
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      ASSERT_NEAR(static_cast<double>(model->weights().at(j, i)), expected[j][i], 1e-5 * largest)
          << name << ", " << j << " to " << i;
    }
  }
}

TEST(Adaptive, WeightsAreThoseOfTheFormula) {
  for (const auto& [name, ratings] : testing::sample_data()) {
    expect_formula(name + ", ridge", ratings, {});
    expect_formula(name + ", ridge with levels", ratings,
                   {.level_power = 0.7, .link_power = 1, .lambda_power = -0.2});
    expect_formula(name + ", graph", ratings,
                   {.weights = Adaptive::Weights::graph, .level_power = 1, .link_power = 0.3});
    expect_formula(name + ", plain graph", ratings,
                   {.weights = Adaptive::Weights::graph, .user_power = 0.5, .link_power = 1});
  }
}

TEST(Adaptive, ManyTilesGiveTheFormulaToo) {
  expect_formula(
      "many",
      testing::random_ratings({.users = 400, .items = 600, .criteria = 1, .density = 0.03}, 4), {});
}

TEST(Adaptive, EaseIsOneOfItsSettings) {
  const Ratings ratings = testing::random_ratings({.users = 60, .items = 40, .criteria = 1}, 6);
  const double mean = static_cast<double>(ratings.interactions()) / 40;
  const auto own = fitted(ratings, {.user_power = 0,
                                    .link_power = 1,
                                    .lambda = 7 / mean,
                                    .lambda_power = 0,
                                    .source_power = 0,
                                    .target_power = 0,
                                    .rating_power = 0});
  const Progress nobody;
  Stages stages;
  ThreadPool pool(1);
  const auto ease = fit_ease(ratings, {.lambda = 7}, {pool, nobody, stages});
  const auto& other = dynamic_cast<const LinearRecommender&>(*ease);
  for (std::uint32_t j = 0; j < ratings.items(); ++j) {
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      EXPECT_NEAR(own->weights().at(j, i), other.weights().at(j, i), 1e-5F);
    }
  }
}

TEST(Adaptive, IsTheSameToTheBitOnAnyNumberOfThreads) {
  const Ratings ratings =
      testing::random_ratings({.users = 300, .items = 700, .criteria = 2, .density = 0.03}, 5);
  const auto one = fitted(ratings, {}, 1);
  const auto four = fitted(ratings, {}, 4);
  for (std::uint32_t j = 0; j < ratings.items(); ++j) {
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      ASSERT_EQ(one->weights().at(j, i), four->weights().at(j, i));
    }
  }
}

TEST(Adaptive, AsksForTheMemoryBeforeItBegins) {
  const Ratings ratings = testing::random_ratings({.users = 20, .items = 500}, 3);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(fitted(ratings, {}, 1, 500 * 500 * 4)); }).code(),
            ErrorCode::too_large);
}

// What a person rated by other criteria than overall counts where criteria do.
TEST(Adaptive, ASignalIsTheMeanOverTheCriteriaThatWereRated) {
  const Ratings ratings = testing::with_gaps();
  const LinearSignal signal = signal_of({.rating_power = 1}, ratings.criteria());
  const std::size_t width = ratings.criteria().size();
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const UserRatings row = ratings.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      float sum = 0;
      float expected = 0;
      float count = 0;
      for (std::size_t c = 0; c < width; ++c) {
        sum += signal.of(row, k, c, width);
        if ((row.present[k] >> c & 1U) == 0) continue;
        expected += row.values[k * width + c] / ratings.criteria()[c].max;
        ++count;
      }
      EXPECT_NEAR(sum, expected / count, 1e-6F);
    }
  }
}

}  // namespace
}  // namespace palate
