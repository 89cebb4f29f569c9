// Which form the graphs take, before any of them is built.
#include "ranking/computation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "graph/item_graph.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"
#include "unit/methods/fitted.hpp"

namespace palate {
namespace {

using ::testing::HasSubstr;
using testing::random_ratings;
using testing::thrown_by;

Ratings few_links() {
  return random_ratings({.users = 200, .items = 900, .density = 0.003, .missing = 0}, 1);
}
Ratings many_links() { return random_ratings({.users = 100, .items = 80, .density = 0.3}, 2); }

Computation chosen(const Ratings& ratings, const CaGf& settings = {}, std::size_t memory = 0) {
  return choose_computation(ratings, plan_ca_gf(settings, ratings.criteria()), memory);
}

TEST(ChooseEngine, SparseWhereFewPairsAreLinked) {
  const Computation engine = chosen(few_links());
  EXPECT_EQ(engine.storage, Storage::sparse);
  EXPECT_TRUE(engine.exact);
  EXPECT_GT(engine.bytes, 0U);
  EXPECT_THAT(engine.why, HasSubstr("linked"));
}

TEST(ChooseEngine, DenseWhereManyAre) {
  const Computation engine = chosen(many_links());
  EXPECT_EQ(engine.storage, Storage::dense);
  EXPECT_TRUE(engine.exact);
  EXPECT_THAT(engine.why, HasSubstr("linked"));
}

TEST(ChooseEngine, WholeFiltersWhereManyOfFewAreLinkedAndSomeFilterIsAProduct) {
  const Computation engine = chosen(many_links(), {.other = outward()});
  EXPECT_EQ(engine.storage, Storage::whole);
  EXPECT_EQ(storage_name(engine.storage), "whole");
  EXPECT_TRUE(engine.exact);
  EXPECT_THAT(engine.why, HasSubstr("linked; filters of 80 items are multiplied out"));
  EXPECT_EQ(chosen(many_links(), {.other = {{0.5, 0.1, 0.1}, 1.0}}).storage, Storage::whole);
  EXPECT_EQ(chosen(many_links(), {.other = {{0.5, 0.0}, 1.0}}).storage, Storage::dense);
  EXPECT_EQ(
      chosen(many_links(), {.other = outward(), .computing = {.solver = Solver::fast}}).storage,
      Storage::dense);
  EXPECT_EQ(chosen(few_links(), {.other = outward()}).storage, Storage::sparse);
}

TEST(ChooseEngine, NoWholeFiltersOfManyItems) {
  const auto of = [](std::size_t items) {
    return chosen(random_ratings({.users = 60, .items = items, .criteria = 1, .density = 0.05}, 4),
                  {.other = outward()});
  };
  EXPECT_EQ(of(2048).storage, Storage::whole);
  EXPECT_EQ(of(2049).storage, Storage::dense);
}

TEST(ChooseEngine, NoWholeFiltersWhereOnlyTheGraphFits) {
  const Ratings ratings =
      random_ratings({.users = 60, .items = 1500, .criteria = 3, .density = 0.05}, 4);
  const CaGf settings{.filters = {{"overall", inward()}, {"c1", outward()}},
                      .computing = {.solver = Solver::fast}};
  const std::size_t graph_alone = chosen(ratings, settings).bytes;
  CaGf exact = settings;
  exact.computing.solver = Solver::exact;
  EXPECT_GT(chosen(ratings, exact).bytes, graph_alone);
  const Computation engine = chosen(ratings, exact, graph_alone + 2'000'000);
  EXPECT_EQ(engine.storage, Storage::dense);
  EXPECT_TRUE(engine.exact);
}

TEST(ChooseEngine, TheSolverIsTheCallersChoice) {
  EXPECT_FALSE(chosen(many_links(), {.computing = {.solver = Solver::fast}}).exact);
  EXPECT_TRUE(chosen(many_links(), {.computing = {.solver = Solver::exact}}).exact);
  // Orders above two have no fast way.
  const CaGf third{.other = {{0.5, 0.1, 0.1}, 1.0}, .computing = {.solver = Solver::fast}};
  EXPECT_TRUE(chosen(many_links(), third).exact);
}

TEST(ChooseEngine, NeighboursAreKept) {
  const Computation engine = chosen(many_links(), {.computing = {.neighbours = 7}});
  EXPECT_EQ(engine.storage, Storage::bounded);
  EXPECT_EQ(engine.neighbours, 7U);
  EXPECT_THAT(engine.why, HasSubstr("7"));
}

TEST(ChooseEngine, TooLittleMemoryIsAClearError) {
  for (const Ratings& ratings : {few_links(), many_links()}) {
    const Error error = thrown_by([&] { static_cast<void>(chosen(ratings, {}, 1000)); });
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_THAT(error.what(), HasSubstr("memory"));
    EXPECT_THAT(error.what(), HasSubstr("MB"));
    EXPECT_FALSE(error.hint().empty());
    ThreadPool pool(1);
    EXPECT_EQ(
        thrown_by([&] { static_cast<void>(testing::fitted(ratings, {}, pool, 1000)); }).code(),
        ErrorCode::too_large);
  }
}

// So many items that all links need more than some of them, and that is what there is.
TEST(ChooseEngine, KeepsTheStrongestLinksWhereAllDoNotFit) {
  const Ratings ratings =
      random_ratings({.users = 300, .items = 9000, .criteria = 1, .density = 0.06}, 3);
  const std::size_t whole = chosen(ratings).bytes;
  const Computation engine = chosen(ratings, {}, whole - whole / 8);
  EXPECT_EQ(engine.storage, Storage::bounded);
  EXPECT_GT(engine.neighbours, 0U);
  EXPECT_LT(engine.bytes, whole);
  EXPECT_THAT(engine.why, HasSubstr("would need"));
}

TEST(ChooseEngine, NobodyRatedAnything) {
  const Ratings ratings = random_ratings({.users = 3, .items = 5, .density = 0}, 1);
  EXPECT_EQ(chosen(ratings).storage, Storage::sparse);
}

TEST(EstimateGraph, IsNearTheLinksThatThereAre) {
  ThreadPool pool(2);
  for (const double density : {0.002, 0.01, 0.05, 0.3}) {
    const Ratings ratings = random_ratings(
        {.users = 150, .items = 400, .criteria = 2, .density = density, .missing = 0}, 7);
    const auto entries =
        static_cast<double>(build_item_graph(ratings, 0b11, pool).pattern.entries());
    const GraphEstimate estimate = estimate_graph(ratings);
    EXPECT_GT(estimate.entries, 0.7 * entries) << density;
    EXPECT_LT(estimate.entries, 1.5 * entries) << density;
    EXPECT_GE(estimate.room, 0.9 * estimate.entries) << density;
    EXPECT_LE(estimate.room, std::min(400.0 * 400.0, 2 * estimate.entries)) << density;
    EXPECT_NEAR(estimate.density, estimate.entries / (400.0 * 400.0), 1e-9);
  }
}

}  // namespace
}  // namespace palate
