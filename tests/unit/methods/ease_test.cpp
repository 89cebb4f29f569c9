// EASE^R against the formula written out.
#include "methods/ease/ease.hpp"

#include "unit/methods/fitted_linear.hpp"

namespace palate {
namespace {

using testing::Matrix;
using testing::thrown_by;

auto fitted(const Ratings& ratings, const Ease& settings, auto... rest) {
  return testing::fitted_linear<Ease, fit_ease>(ratings, settings, rest...);
}

// X of one criterion.
Matrix input(const Ratings& ratings, std::size_t criterion, bool binary) {
  Matrix out = testing::zeros(ratings.users(), ratings.items());
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const UserRatings row = ratings.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((row.present[k] >> criterion & 1U) == 0) continue;
      const auto rating =
          static_cast<double>(row.values[k * ratings.criteria().size() + criterion]);
      out[u][row.items[k]] = binary ? 1.0 : rating;
    }
  }
  return out;
}

Matrix slow_weights(const Ratings& ratings, const Ease& settings) {
  const std::size_t items = ratings.items();
  Matrix gram = testing::zeros(items, items);
  const std::size_t criteria = settings.stacked ? ratings.criteria().size() : 1;
  for (std::size_t c = 0; c < criteria; ++c) {
    for (const auto& row : input(ratings, c, settings.input == Ease::Input::binary)) {
      for (std::size_t i = 0; i < items; ++i) {
        for (std::size_t j = 0; j < items; ++j) gram[i][j] += row[i] * row[j];
      }
    }
  }
  for (std::size_t i = 0; i < items; ++i) gram[i][i] += settings.lambda;
  Matrix out = testing::inverse(gram);
  const Matrix q = out;
  for (std::size_t j = 0; j < items; ++j) {
    for (std::size_t i = 0; i < items; ++i) out[j][i] = i == j ? 0 : -q[j][i] / q[i][i];
  }
  return out;
}

TEST(Ease, WeightsAreThoseOfTheFormula) {
  for (const auto& [name, ratings] : testing::sample_data()) {
    for (const bool stacked : {false, true}) {
      for (const Ease::Input input : {Ease::Input::binary, Ease::Input::raw}) {
        const Ease settings{.lambda = 3, .input = input, .stacked = stacked};
        const auto model = fitted(ratings, settings);
        const Matrix expected = slow_weights(ratings, settings);
        for (std::uint32_t j = 0; j < ratings.items(); ++j) {
          for (std::uint32_t i = 0; i < ratings.items(); ++i) {
            ASSERT_NEAR(static_cast<double>(model->weights().at(j, i)), expected[j][i], 1e-6)
                << name << ", " << j << " to " << i;
          }
        }
      }
    }
  }
}

// More items than a tile of the inverse holds, so that every kind of step is taken.
TEST(Ease, ManyTilesGiveTheFormulaToo) {
  const Ratings ratings =
      testing::random_ratings({.users = 400, .items = 600, .criteria = 1, .density = 0.03}, 4);
  const Ease settings{.lambda = 5};
  const auto model = fitted(ratings, settings);
  const Matrix expected = slow_weights(ratings, settings);
  for (std::uint32_t j = 0; j < ratings.items(); ++j) {
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      ASSERT_NEAR(static_cast<double>(model->weights().at(j, i)), expected[j][i], 1e-6);
    }
  }
}

TEST(Ease, IsTheSameToTheBitOnAnyNumberOfThreads) {
  const Ratings ratings =
      testing::random_ratings({.users = 300, .items = 700, .criteria = 1, .density = 0.03}, 5);
  const auto one = fitted(ratings, {}, 1);
  const auto four = fitted(ratings, {}, 4);
  for (std::uint32_t j = 0; j < ratings.items(); ++j) {
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      ASSERT_EQ(one->weights().at(j, i), four->weights().at(j, i));
    }
  }
}

TEST(Ease, AnItemSaysNothingOfItself) {
  const Ratings ratings = testing::random_ratings({}, 2);
  const auto model = fitted(ratings, {});
  for (std::uint32_t i = 0; i < ratings.items(); ++i) EXPECT_EQ(model->weights().at(i, i), 0);
}

TEST(Ease, TooLittleMemoryIsAnErrorBeforeTheWork) {
  const Ratings ratings = testing::random_ratings({.items = 50}, 3);
  const Error error = thrown_by([&] { static_cast<void>(fitted(ratings, {}, 1, 10'000)); });
  EXPECT_EQ(error.code(), ErrorCode::too_large);
  EXPECT_FALSE(error.hint().empty());
}

TEST(Ease, SettingsOutOfRangeAreErrors) {
  for (const char* lambda : {"0", "-1", "nan", "much"}) {
    EXPECT_EQ(thrown_by([&] { Method("ease").set("lambda", lambda); }).code(), ErrorCode::usage);
  }
}

}  // namespace
}  // namespace palate
