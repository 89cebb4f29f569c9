// Spectral methods against their formulas, written out with dense matrices.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "methods/registry.hpp"
#include "methods/spectral/leading_pairs.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Ratings small(std::size_t criteria = 1) {
  return testing::random_ratings(
      {.users = 40, .items = 30, .criteria = criteria, .density = 0.3, .missing = 0.1}, 7);
}

// R of one criterion.
Dense ratings_of(const Ratings& ratings, std::size_t c = 0, bool binary = false) {
  Dense out = Dense::Zero(static_cast<Eigen::Index>(ratings.users()),
                          static_cast<Eigen::Index>(ratings.items()));
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const UserRatings row = ratings.of(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if ((row.present[k] >> c & 1U) == 0) continue;
      const auto value = static_cast<double>(row.values[k * ratings.criteria().size() + c]);
      out(u, row.items[k]) = binary ? 1.0 : value;
    }
  }
  return out;
}

Vector power(const Vector& x, double exponent) {
  return x.unaryExpr([=](double v) { return v > 0 ? std::pow(v, exponent) : 0.0; });
}
Vector user_sums(const Dense& r) { return r.rowwise().sum(); }
Vector item_sums(const Dense& r) { return r.colwise().sum().transpose(); }

Dense scaled(const Dense& r, double users, double items, double added = 0) {
  const auto by = [&](const Vector& sums, double exponent) {
    Vector out = sums;
    for (double& v : out) v = v > 0 ? std::pow(v + added, exponent) : 0;
    return out;
  };
  return by(user_sums(r), -users).asDiagonal() * r * by(item_sums(r), -items).asDiagonal();
}
Dense graph(const Dense& r) {
  const Dense rn = scaled(r, 0.5, 0.5);
  return rn.transpose() * rn;
}

// The leading eigenvectors, as columns.
Dense leading(const Dense& symmetric, Eigen::Index rank) {
  const Eigen::SelfAdjointEigenSolver<Dense> solved(symmetric);
  return solved.eigenvectors().rightCols(rank);
}

// D^-power V V^T D^power
Dense ideal(const Dense& r, Eigen::Index rank, double exponent = 0.5) {
  const Dense v = leading(graph(r), rank);
  return power(item_sums(r), -exponent).asDiagonal() * v * v.transpose() *
         power(item_sums(r), exponent).asDiagonal();
}

Dense scores_of(const Ratings& ratings, const Method& method, unsigned threads = 2) {
  const Progress nobody;
  Stages stages;
  ThreadPool pool(threads);
  const auto model = MethodAccess::entry(method).fit(ratings, MethodAccess::settings(method),
                                                     {pool, nobody, stages});
  Dense out(static_cast<Eigen::Index>(ratings.users()), static_cast<Eigen::Index>(ratings.items()));
  std::vector<float> scores(ratings.items());
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    model->score({.ratings = ratings.of(u), .user = u}, scores);
    for (std::uint32_t i = 0; i < scores.size(); ++i) out(u, i) = static_cast<double>(scores[i]);
  }
  return out;
}

void expect_near(const Dense& got, const Dense& expected) {
  ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0);
  EXPECT_LE((got - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
}

TEST(LeadingPairs, AreTheEigenvectorsOfADenseMatrix) {
  const Ratings ratings =
      testing::random_ratings({.users = 120, .items = 140, .criteria = 1, .density = 0.15}, 3);
  const NormalizedMatrix matrix = normalized(ratings, 0, {});
  const Dense p = graph(ratings_of(ratings));
  const Progress nobody;
  Stages stages;
  ThreadPool one(1);
  ThreadPool four(4);
  const Eigen::SelfAdjointEigenSolver<Dense> solved(p);
  for (const Eigen::Index rank : {1, 10, 25}) {
    const auto count = static_cast<std::size_t>(rank);
    const LeadingPairs got = leading_directions(matrix, count, {one, nobody, stages});
    const Dense v = leading(p, rank);
    ASSERT_EQ(got.vectors.cols(), rank);
    // As far off as what is left over allows, by the gap to the next value.
    const Vector all = solved.eigenvalues().reverse();
    EXPECT_LE((got.vectors * got.vectors.transpose() - v * v.transpose()).norm(),
              1e-7 * std::sqrt(2.0 * static_cast<double>(rank)) / (all[rank - 1] - all[rank]));
    EXPECT_LE((got.values - solved.eigenvalues().tail(rank).reverse()).cwiseAbs().maxCoeff(), 1e-9);
    const LeadingPairs again = leading_directions(matrix, count, {four, nobody, stages});
    EXPECT_EQ(got.vectors, again.vectors) << "another number of threads";
  }
}

TEST(LeadingPairs, StopAtTheRankOfTheMatrix) {
  const Ratings ratings = testing::random_ratings(
      {.users = 5, .items = 40, .criteria = 1, .density = 0.5, .missing = 0}, 3);
  const Progress nobody;
  Stages stages;
  ThreadPool pool(1);
  const auto got = leading_directions(normalized(ratings, 0, {}), 30, {pool, nobody, stages});
  EXPECT_LE(got.vectors.cols(), 5);
  EXPECT_GT(got.values.minCoeff(), 0);
}

TEST(GfCf, ScoresAreThoseOfTheFormula) {
  const Ratings ratings = small();
  for (const bool binary : {false, true}) {
    const Dense r = ratings_of(ratings, 0, binary);
    const Method method("gf-cf",
                        {{"rank", "7"}, {"ideal", "0.4"}, {"input", binary ? "binary" : "raw"}});
    expect_near(scores_of(ratings, method), r * graph(r) + 0.4 * r * ideal(r, 7));
  }
}

TEST(GfCf, RatingsBelowTheLeastDoNotCount) {
  const Ratings ratings = small();
  const Dense all = ratings_of(ratings);
  const Dense r = all.unaryExpr([](double v) { return v >= 3 ? 1.0 : 0.0; });
  const Method method("gf-cf", {{"rank", "5"}, {"input", "binary"}, {"least", "3"}});
  expect_near(scores_of(ratings, method), r * graph(r) + 0.3 * r * ideal(r, 5));
}

TEST(GfCf, WithoutTheIdealFilterItIsTheLinearOne) {
  const Ratings ratings = small();
  const Dense r = ratings_of(ratings);
  expect_near(scores_of(ratings, Method("gf-cf", {{"ideal", "0"}})), r * graph(r));
  expect_near(scores_of(ratings, Method("gf-cf", {{"ideal", "0"}})),
              scores_of(ratings, Method("turbo-cf")));
}

TEST(GfCfMc, IsTheSumOfGfCfOverTheCriteria) {
  const Ratings ratings = small(4);
  Dense expected = Dense::Zero(40, 30);
  for (std::size_t c = 0; c < 4; ++c) {
    const Dense r = ratings_of(ratings, c);
    expected += r * graph(r) + 0.3 * r * ideal(r, 6);
  }
  expect_near(scores_of(ratings, Method("gf-cf-mc", {{"rank", "6"}})), expected);
}

TEST(Fire, FadesRatingsAndWithoutTimesIsGfCf) {
  const Ratings plain = small();
  expect_near(scores_of(plain, Method("fire", {{"rank", "6"}})),
              scores_of(plain, Method("gf-cf", {{"rank", "6"}, {"ideal", "0.2"}})));
  RatingsBuilder builder({"overall"});
  Dense r = Dense::Zero(12, 9);
  Dense w = r;
  for (int u = 0; u < 12; ++u) {
    for (int i = 0; i < 9; ++i) {
      if ((u * 7 + i * 5) % 4 == 0) continue;
      r(u, i) = 1 + (u + i) % 5;
      const int time = (u * 31 + i * 17) % 100;
      w(u, i) = r(u, i) * std::exp(0.02 * (time - 99.0));
      builder.add(std::to_string(u), std::to_string(i), std::vector{static_cast<float>(r(u, i))},
                  time);
    }
  }
  const Ratings timed = builder.build();
  double newest = 0;
  for (std::uint32_t u = 0; u < 12; ++u) {
    for (const std::int64_t t : timed.of(u).times) newest = std::max(newest, double(t));
  }
  w *= std::exp(0.02 * (99.0 - newest));
  expect_near(scores_of(timed, Method("fire", {{"rank", "3"}, {"decay", "0.02"}})),
              r * graph(w) + 0.2 * r * ideal(w, 3));
}

Dense times(const Dense& step, int steps) {
  Dense out = Dense::Identity(step.rows(), step.cols());
  for (int k = 0; k < steps; ++k) out = out * step;
  return out;
}

TEST(Bspm, ScoresAreThoseOfTheFormula) {
  const Ratings ratings = small();
  const Dense r = ratings_of(ratings);
  const Dense p = graph(r);
  const Dense one = Dense::Identity(30, 30);
  const Dense blur = r * p;
  const Dense b = 0.3 * r * ideal(r, 6);
  const double h = 0.8;
  const Dense hp = h * p;
  const Dense rk = one - hp + hp * hp / 2 - hp * hp * hp / 6 + hp * hp * hp * hp / 24;
  const auto method = [](const char* merge, const char* solver, const char* average) {
    return Method("bspm", {{"rank", "6"},
                           {"ideal", "0.3"},
                           {"time", "1.6"},
                           {"steps", "2"},
                           {"merge", merge},
                           {"solver", solver},
                           {"average", average}});
  };
  expect_near(scores_of(ratings, method("early", "runge-kutta", "false")),
              (blur + b) * times(rk, 2));
  expect_near(scores_of(ratings, method("late", "euler", "false")), blur * times(one - hp, 2) + b);
  expect_near(scores_of(ratings, method("early", "euler", "true")),
              (blur + (blur + b) * (one - hp) + (blur + b) * times(one - hp, 2)) / 3);
}

TEST(Bspm, WithoutSharpeningItIsTheLinearFilter) {
  const Ratings ratings = small();
  expect_near(scores_of(ratings, Method("bspm", {{"steps", "0"}, {"ideal", "0"}})),
              scores_of(ratings, Method("gf-cf", {{"ideal", "0"}})));
}

TEST(Pgsp, ScoresAreThoseOfTheFormula) {
  const Ratings ratings = small();
  const Dense r = ratings_of(ratings);
  const Dense ru = scaled(r, 0.5, 0);
  const Dense ri = scaled(r, 0, 0.5);
  const Dense rn = scaled(r, 0.5, 0.5);
  Dense a(70, 70);
  a << ri * ri.transpose(), r, r.transpose(), ru.transpose() * ru;
  const Vector root = power(item_sums(a), -0.5);
  const Dense v = leading(root.asDiagonal() * a * root.asDiagonal(), 9);
  Dense b(40, 70);
  b << rn * rn.transpose(), r;
  const Vector g = item_sums(b);
  const Dense wide =
      b * power(g, -0.5).asDiagonal() * v * v.transpose() * power(g, 0.5).asDiagonal();
  const Dense linear =
      r * power(item_sums(r), -0.5).asDiagonal() * graph(r) * power(item_sums(r), 0.5).asDiagonal();
  expect_near(scores_of(ratings, Method("pgsp", {{"rank", "9"}, {"linear", "0.6"}})),
              0.6 * linear + 0.4 * wide.rightCols(30));
}

TEST(ChebyCf, ScoresAreThoseOfTheInterpolation) {
  const Ratings ratings = small();
  const Dense r = ratings_of(ratings);
  const Dense p = graph(r);
  // The polynomial of degree 8 through the plateau, from its values at 9 points, by the
  // eigenvalues of the Laplacian.
  Dense at(9, 9);
  Vector h(9);
  for (int j = 0; j < 9; ++j) {
    const double t = std::cos(std::numbers::pi * (j + 0.5) / 9);
    h[j] = t < 0 ? 0.5 + 0.5 * std::pow(-t, 1.5) : 0.5 - 0.5 * std::pow(t, 1.5);
    for (int k = 0; k < 9; ++k) at(j, k) = std::pow(t, k);
  }
  const Vector c = at.inverse() * h;
  const Eigen::SelfAdjointEigenSolver<Dense> solved(p);
  const Vector response = solved.eigenvalues().unaryExpr([&](double value) {
    const double t = 2 * (1 - value) - 1;
    double sum = 0;
    for (int k = 8; k >= 0; --k) sum = sum * t + c[k];
    return sum;
  });
  const Dense filter =
      solved.eigenvectors() * response.asDiagonal() * solved.eigenvectors().transpose();
  const Dense expected =
      r * power(item_sums(r), -0.4).asDiagonal() * filter * power(item_sums(r), 0.4).asDiagonal() +
      0.2 * r * ideal(r, 6, 0.4);
  expect_near(scores_of(ratings, Method("chebycf", {{"rank", "6"}})), expected);
}

TEST(Sgfcf, ScoresAreThoseOfTheFormula) {
  const Ratings ratings = small();
  const Dense r = ratings_of(ratings);
  const Dense rt = scaled(r, 0.4, 0.4, 1.5);
  const Eigen::SelfAdjointEigenSolver<Dense> solved(rt.transpose() * rt);
  const Vector sigma = solved.eigenvalues().tail(6).cwiseSqrt();
  const Dense v = solved.eigenvectors().rightCols(6);
  const Dense u = rt * v * sigma.cwiseInverse().asDiagonal();
  const Vector sharp = (sigma / sigma[5]).array().pow(1.3);
  const Dense low = u * sharp.asDiagonal() * (v * sharp.asDiagonal()).transpose();
  const auto by_row = [](const Dense& m) -> Dense {
    const Vector sums = m.rowwise().sum();
    return sums.unaryExpr([](double sum) { return sum > 0 ? 1 / sum : 0.0; }).asDiagonal() * m;
  };
  const Method method("sgfcf", {{"rank", "6"},
                                {"power", "0.4"},
                                {"smoothing", "1.5"},
                                {"sharpness", "1.3"},
                                {"rest", "0.7"}});
  expect_near(scores_of(ratings, method), by_row(low) + 0.7 * by_row(rt * rt.transpose() * rt));
}

TEST(TurboCf, ScoresAreThoseOfTheFormula) {
  const Ratings ratings = small();
  for (const bool binary : {false, true}) {
    const Dense r = ratings_of(ratings, 0, binary);
    const Dense rt = scaled(r, 0.6, 0.4);
    const Dense linked = rt.transpose() * rt;
    const Dense p = linked.unaryExpr([](double v) { return v > 0 ? std::pow(v, 0.7) : 0.0; });
    const std::pair<const char*, Dense> filters[] = {
        {"linear", p},
        {"second", 2 * p - p * p},
        {"third", 0.71 * p + 0.1 * p * p - 0.01 * p * p * p}};
    for (const auto& [name, filter] : filters) {
      const Method method("turbo-cf", {{"filter", name},
                                       {"user_power", "0.6"},
                                       {"link_power", "0.7"},
                                       {"input", binary ? "binary" : "raw"}});
      expect_near(scores_of(ratings, method), r * filter);
    }
  }
}

TEST(TurboCf, WithOneCriterionItIsTheGraphFilterOfCaGf) {
  const Ratings ratings = small();
  for (const char* power : {"1", "0.6"}) {
    expect_near(scores_of(ratings, Method("turbo-cf", {{"link_power", power}})),
                scores_of(ratings, Method("ca-gf", {{"variant", "overall-graph"},
                                                    {"other", std::string("linear:") + power},
                                                    {"preference", "off"}})));
  }
}

TEST(Edlae, ScoresAreThoseOfTheFormula) {
  const Ratings ratings = small();
  const Dense x = ratings_of(ratings, 0, true);
  const Vector n = item_sums(x);
  const Vector people = power(user_sums(x), -0.3);
  Dense g = x.transpose() * people.asDiagonal() * x;
  g += (4 * Vector::Ones(30) + n * (0.25 / 0.75)).asDiagonal();
  const Dense q = g.inverse();
  Dense w = -q * q.diagonal().cwiseInverse().asDiagonal();
  w.diagonal().setZero();
  w = power(n, 0.2).asDiagonal() * w * power(n, -0.2).asDiagonal();
  const Method method(
      "edlae",
      {{"lambda", "4"}, {"dropout", "0.25"}, {"user_power", "0.3"}, {"item_power", "0.2"}});
  expect_near(scores_of(ratings, method), x * w);
}

TEST(Edlae, WithoutDropoutAndPowersItIsEase) {
  const Ratings ratings = small();
  expect_near(scores_of(ratings, Method("edlae", {{"lambda", "4"}, {"dropout", "0"}})),
              scores_of(ratings, Method("ease", {{"lambda", "4"}})));
}

}  // namespace
}  // namespace palate
