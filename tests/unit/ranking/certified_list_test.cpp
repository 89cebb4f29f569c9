// Intervals hold the scores, and what the certified list leaves out cannot be in it.
#include "ranking/certified_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/dense/strip.hpp"
#include "ranking/sparse_person.hpp"
#include "ranking/sparse_scorer.hpp"
#include "unit/ranking/dense_truth.hpp"

namespace palate {
namespace {

using testing::DenseTruth;

std::vector<float> as_floats(const std::vector<double>& y, std::size_t stride) {
  std::vector<float> out(stride, 0.0F);
  std::copy(y.begin(), y.end(), out.begin());
  return out;
}

TEST(Radius, HoldsEverySecondOrder) {
  const DenseTruth truth({});
  const DenseGraphs& graphs = truth.graphs();
  double radii = 0;
  double plain = 0;  // |y| |p_i|
  for (const Signal& signal : truth.signals()) {
    PlacedSignal placed;
    placed.set(graphs, signal);
    for (std::size_t m = 0; m < graphs.second.size(); ++m) {
      const std::size_t b = graphs.second[m];
      const double a = graphs.branch(b).coefficients[1];
      const auto y = truth.first_order(b, signal);
      const double square = kernels::square_sum(as_floats(y, graphs.stride()));
      const Radius mine = radius_of(graphs, m, placed.places.size(), square, placed.z.data());
      const auto second = truth.second_order(b, y);
      for (std::size_t i = 0; i < truth.items(); ++i) {
        const std::size_t at = m * graphs.stride() + i;
        const double radius = static_cast<double>(mine.outside * graphs.outside[at] +
                                                  mine.slack * graphs.lengths[at]);
        const double estimate = estimated_second_order(graphs, m, i, placed.z.data());
        ASSERT_LE(std::abs(a * second[i] - estimate), radius) << "item " << i;
        radii += radius;
        plain += std::abs(a) * std::sqrt(square) * static_cast<double>(graphs.lengths[at]);
      }
    }
  }
  EXPECT_LT(radii, 0.6 * plain);
}

// Of one who rated a single item, y is a multiple of its row: there the bound is an equality, and
// has no more room than for rounding.
TEST(Radius, IsTightWhereItCanBe) {
  const DenseTruth truth({});
  const DenseGraphs& graphs = truth.graphs();
  double closest = 1;
  for (std::uint32_t item = 0; item < truth.items(); ++item) {
    const std::array<std::uint32_t, 1> items = {item};
    const std::array<float, 4> values = {4.0F, 3.0F, 2.0F, 5.0F};
    const std::array<std::uint32_t, 1> present = {0b1111};
    const Signal signal{.ratings = {items, values, present, {}}, .factor = {1, 1, 1, 1}};
    PlacedSignal placed;
    placed.set(graphs, signal);
    const std::uint32_t i = graphs.order.place_of[item];
    for (std::size_t m = 0; m < graphs.second.size(); ++m) {
      const std::size_t b = graphs.second[m];
      const auto y = truth.first_order(b, signal);
      const double square = kernels::square_sum(as_floats(y, graphs.stride()));
      if (square == 0) continue;
      const Radius mine = radius_of(graphs, m, 1, square, placed.z.data());
      const std::size_t at = m * graphs.stride() + i;
      const double radius =
          static_cast<double>(mine.outside * graphs.outside[at] + mine.slack * graphs.lengths[at]);
      const double off = std::abs(graphs.branch(b).coefficients[1] * truth.second_order(b, y)[i] -
                                  estimated_second_order(graphs, m, i, placed.z.data()));
      ASSERT_LE(off, radius) << "item " << item;
      closest = std::min(closest, 1 - off / radius);
    }
  }
  EXPECT_LT(closest, 1e-3);
}

TEST(CertifiedList, KeepsAllThatMayBeInTheList) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t top = 1 + random.below(8);
    std::map<std::uint32_t, float> score;
    std::vector<Candidate> all;
    for (std::uint32_t place = 0; place < 60; ++place) {
      const auto radius = static_cast<float>(0.2 * random.uniform());
      const auto estimate = static_cast<float>(random.uniform());
      score[place] = estimate + radius * static_cast<float>(1.98 * random.uniform() - 0.99);
      all.push_back({place, 0.0F, estimate, radius, 0.0});
    }
    kernels::TopK best;
    best.reset(top);
    for (const auto& [place, value] : score) best.offer(value, place);
    const auto expected = to_list(best);

    CertifiedList list;
    list.begin(top);
    for (const Candidate& one : all) list.offer(one);
    list.prune();
    EXPECT_LT(list.candidates().size(), all.size());
    std::size_t settled = 0;
    list.settle_each([&](Candidate& one) {
      one.second = static_cast<double>(score[one.place]);
      one.estimate = one.score();
      one.radius = 0;
      ++settled;
    });
    EXPECT_LE(settled, 40U);
    EXPECT_EQ(best_of(
                  list.candidates(), top, [](const Candidate& one) { return one.score(); },
                  [](std::uint32_t place) { return place; }),
              expected);
    prune(all, top);
    EXPECT_LT(all.size(), 60U);
    for (const ScoredItem& one : expected) {
      EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                              [&](const Candidate& c) { return c.place == one.item; }));
    }
  }
}

TEST(Candidate, LosesTheRadiusOfWhatIsSettled) {
  Candidate one{3, 1.0F, 1.5F, 0.3F, 0.0};
  one.settle(0.45, 0.5, 0.2F);
  EXPECT_FLOAT_EQ(one.estimate, 1.45F);
  EXPECT_FLOAT_EQ(one.radius, 0.1F);
  EXPECT_FLOAT_EQ(one.score(), 1.45F);
  // Never less than rounding.
  one.settle(0.0, 0.0, 0.2F);
  EXPECT_GT(one.radius, 0.0F);
  EXPECT_LT(one.radius, 1e-5F);
}

struct Walked {
  const char* name;
  std::vector<Filter> filters;
  double widest;  // radii beside second orders, all in all
};
void PrintTo(const Walked& one, std::ostream* out) { *out << one.name; }

class WalkOver : public ::testing::TestWithParam<Walked> {};

// On a sparse graph: of what the first order reaches the interval holds the score, and of nothing
// else the score is above the bound.
TEST_P(WalkOver, BoundsEveryScore) {
  const testing::RandomShape shape{.users = 500, .items = 800, .density = 0.003};
  const Ratings ratings = testing::random_ratings(shape, 9);
  CaGf settings;
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    settings.filters.push_back({ratings.criteria()[c].name, GetParam().filters[c]});
  }
  ThreadPool pool(1);
  const SparseScorer scorer(
      std::make_shared<const FilterPlan>(plan_ca_gf(settings, ratings.criteria())),
      {build_item_graph(ratings, 0b1111, pool)}, true, pool);
  SparseView view(scorer.graphs());
  SparseWalk<SparseView> walk;
  double radii = 0;
  double seconds = 0;
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    const Signal signal{.ratings = ratings.of(u), .factor = {1.0F, 0.7F, 1.3F, 0.5F}};
    std::vector<float> scores(ratings.items());
    scorer.score({&signal, 1}, scores);
    walk.begin(view, signal);
    const double elsewhere = walk.bound_rest(view);
    std::vector<bool> reached(ratings.items(), false);
    for (const std::uint32_t i : walk.reached()) {
      reached[i] = true;
      const Candidate one = walk.interval(view, i);
      const double second = walk.second_order(view, i);
      const double exact = static_cast<double>(walk.first(i)) + second;
      ASSERT_LE(std::abs(exact - static_cast<double>(one.estimate)),
                static_cast<double>(one.radius));
      ASSERT_EQ(static_cast<float>(exact), scores[i]);
      radii += static_cast<double>(one.radius);
      seconds += std::abs(second);
    }
    for (std::uint32_t i = 0; i < ratings.items(); ++i) {
      if (!reached[i]) {
        ASSERT_LE(std::abs(static_cast<double>(scores[i])), elsewhere);
      }
    }
    walk.end();
  }
  EXPECT_LT(radii, GetParam().widest * seconds);
}

// Filters of both signs cancel each other, but not their radii.
INSTANTIATE_TEST_SUITE_P(
    Filters, WalkOver,
    ::testing::Values(
        Walked{"usual", {outward(0.85), outward(0.85), inward(1.5), linear(0.6)}, 1.0},
        Walked{"large", {{{1.0, -2.5}, 0.9}, {{0.0, 1.0}, 0.7}, inward(2.0), linear(0.6)}, 3}),
    [](const auto& one) { return std::string(one.param.name); });

// Where own items alone lead to an item the radius is rounding, and nothing more.
TEST(SparseWalk, IsTightWhereNothingElseLeads) {
  RatingsBuilder builder(testing::criterion_names(1));
  for (std::size_t item = 0; item < 40; ++item) {
    builder.add("one", "item" + std::to_string(item), std::vector<float>{0.5F + 0.1F * item});
  }
  const Ratings ratings = builder.build();
  ThreadPool pool(1);
  const CaGf settings{.filters = {{"overall", outward(0.7)}}};
  const SparseScorer scorer(
      std::make_shared<const FilterPlan>(plan_ca_gf(settings, ratings.criteria())),
      {build_item_graph(ratings, 1, pool)}, true, pool);
  SparseView view(scorer.graphs());
  SparseWalk<SparseView> walk;
  walk.begin(view, {.ratings = ratings.of(0), .factor = {1.0F}});
  (void)walk.bound_rest(view);
  ASSERT_EQ(walk.reached().size(), 40U);
  for (const std::uint32_t i : walk.reached()) {
    const Candidate one = walk.interval(view, i);
    const auto first = static_cast<double>(walk.first(i));
    const double second = walk.second_order(view, i);
    const double exact = first + second;
    EXPECT_LE(std::abs(exact - static_cast<double>(one.estimate)), static_cast<double>(one.radius));
    EXPECT_LT(static_cast<double>(one.radius), 2e-5 * (std::abs(first) + std::abs(second)));
  }
}

}  // namespace
}  // namespace palate
