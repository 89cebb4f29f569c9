// Many people at once get the lists that each gets alone, to the bit.
#include "ranking/dense_batch.hpp"

#include <gtest/gtest.h>

#include "methods/ca_gf/plan.hpp"
#include "ranking/dense_person.hpp"
#include "ranking/dense_scorer.hpp"
#include "support/random_ratings.hpp"

namespace palate {
namespace {

struct Case {
  std::size_t items;
  bool exact;
  std::size_t users = 90;
  double density = 0.3;
  double least_factor = 0;  // of a criterion
};

class DenseBatch : public ::testing::TestWithParam<Case> {
 protected:
  // Signals with a factor of their own for every person and criterion.
  void ask(const Ratings& ratings) {
    Random random(3);
    for (std::uint32_t u = 0; u < ratings.users(); ++u) {
      queries_.push_back({.ratings = ratings.of(u), .top = u % 13, .exclude_seen = u % 5 != 0});
      Signal signal{.ratings = ratings.of(u)};
      for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
        const double least = GetParam().least_factor;
        signal.factor[c] = static_cast<float>(least + (1 - least) * random.uniform());
      }
      signals_.push_back(signal);
    }
  }

  std::vector<Query> queries_;
  std::vector<Signal> signals_;
};

TEST_P(DenseBatch, GivesEveryoneTheListTheyGetAlone) {
  const testing::RandomShape shape{
      .users = GetParam().users, .items = GetParam().items, .density = GetParam().density};
  const Ratings ratings = testing::random_ratings(shape, 7);
  const CaGf settings{.filters = {{"overall", linear(0.6)},
                                  {"c1", inward(1.5)},
                                  {"c2", outward(0.85)},
                                  {"c3", outward(0.85)}}};
  ThreadPool pool(2);
  const ItemOrder order = popularity_order(ratings);
  const DenseScorer scorer(
      std::make_shared<const FilterPlan>(plan_ca_gf(settings, ratings.criteria())), order,
      {DenseGraph::build(ratings, 0b1111, order, pool)}, GetParam().exact, pool);
  ask(ratings);
  std::vector<std::vector<ScoredItem>> alone;
  DensePerson person(scorer.graphs());
  for (std::size_t u = 0; u < queries_.size(); ++u) {
    alone.push_back(person.recommend(queries_[u], signals_[u]));
  }
  std::vector<std::vector<ScoredItem>> together(queries_.size());
  recommend_batch(scorer.graphs(), queries_, signals_, together, pool);
  EXPECT_EQ(together, alone);
}

// More people than a group, items of several tiles of rows, and signals below 0.
INSTANTIATE_TEST_SUITE_P(Items, DenseBatch,
                         ::testing::Values(Case{1, true}, Case{15, true}, Case{16, true},
                                           Case{17, true}, Case{130, true}, Case{17, false},
                                           Case{300, true}, Case{300, false}, Case{40, true, 2100},
                                           Case{40, false, 2100}, Case{4200, true, 70, 0.012},
                                           Case{4200, false, 70, 0.012},
                                           Case{120, true, 90, 0.3, -0.7},
                                           Case{120, false, 90, 0.3, -0.7}),
                         [](const auto& one) {
                           return std::to_string(one.param.items) + "for" +
                                  std::to_string(one.param.users) +
                                  (one.param.exact ? "exact" : "fast");
                         });

}  // namespace
}  // namespace palate
