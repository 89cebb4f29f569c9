// What CA-GF computes for given settings, variant by variant.
#include "methods/ca_gf/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/errors.hpp"

namespace palate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::thrown_by;

const std::vector<Criterion> beer = {{"overall"}, {"appearance"}, {"aroma"}, {"palate"}, {"taste"}};

CaGf beer_settings(Variant variant = Variant::full) {
  return {.filters = {{"overall", linear(0.6)},
                      {"appearance", inward(1.5)},
                      {"aroma", outward(0.85)},
                      {"palate", outward(0.85)},
                      {"taste", linear(0.6)}},
          .preference = 2.0,
          .variant = variant};
}

FilterPlan plan_of(Variant variant) { return plan_ca_gf(beer_settings(variant), beer); }

std::vector<CriterionSet> sets_of(const FilterPlan& plan) {
  std::vector<CriterionSet> out;
  for (const Branch& branch : plan.branches) out.push_back(branch.criteria);
  return out;
}

TEST(FilterPlan, CriteriaWithOneFilterShareABranch) {
  const FilterPlan plan = plan_of(Variant::full);
  EXPECT_THAT(sets_of(plan), ElementsAre(0b10001, 0b00010, 0b01100));
  EXPECT_EQ(plan.powers.size(), 3U);
  EXPECT_THAT(plan.graphs, ElementsAre(0b11111));
  EXPECT_EQ(plan.signals, 0b11111U);
  EXPECT_EQ(plan.preference, 2.0);
  EXPECT_EQ(plan.criteria, 5U);
}

TEST(FilterPlan, FiltersOfOnePowerShareTheAdjustedGraph) {
  const CaGf settings{.filters = {{"overall", linear(0.5)}, {"taste", outward(0.5)}},
                      .other = inward(0.5)};
  const FilterPlan plan = plan_ca_gf(settings, beer);
  EXPECT_EQ(plan.powers.size(), 1U);
  EXPECT_THAT(sets_of(plan), ElementsAre(0b00001, 0b01110, 0b10000));
  for (const Branch& branch : plan.branches) EXPECT_EQ(branch.values, 0U);
}

TEST(FilterPlan, CriteriaNotNamedTakeTheOtherFilter) {
  const FilterPlan plan = plan_ca_gf({.filters = {{"aroma", inward()}}, .other = outward(2)}, beer);
  EXPECT_THAT(plan.filters, ElementsAre(outward(2), outward(2), inward(), outward(2), outward(2)));
}

TEST(FilterPlan, DefaultsAreOneLinearBranch) {
  const FilterPlan plan = plan_ca_gf({}, beer);
  EXPECT_THAT(sets_of(plan), ElementsAre(0b11111));
  EXPECT_EQ(plan.filters[3], linear());
}

TEST(FilterPlan, VariantM) {
  const FilterPlan plan = plan_of(Variant::overall_graph);
  EXPECT_THAT(plan.graphs, ElementsAre(1));
  EXPECT_EQ(plan.signals, 0b11111U);
  EXPECT_EQ(plan.filters, plan_of(Variant::full).filters);
  EXPECT_EQ(plan.preference, 2.0);
}

TEST(FilterPlan, VariantSingle) {
  const FilterPlan plan = plan_of(Variant::overall_only);
  EXPECT_THAT(plan.graphs, ElementsAre(1));
  EXPECT_EQ(plan.signals, 1U);
  EXPECT_THAT(sets_of(plan), ElementsAre(1));
  EXPECT_EQ(plan.filters[0], linear());
  EXPECT_FALSE(plan.preference.has_value());
}

TEST(FilterPlan, VariantS) {
  const FilterPlan plan = plan_of(Variant::unit_powers);
  EXPECT_EQ(plan.powers.size(), 1U);
  EXPECT_THAT(plan.filters, ElementsAre(linear(), inward(), outward(), outward(), linear()));
}

TEST(FilterPlan, VariantFKeepsThePowerOfLinear) {
  const FilterPlan plan = plan_of(Variant::linear_filters);
  EXPECT_THAT(sets_of(plan), ElementsAre(0b11111));
  EXPECT_EQ(plan.filters[1], linear(0.6));
}

TEST(FilterPlan, VariantFWithoutALinearFilterTakesPowerOne) {
  const FilterPlan plan =
      plan_ca_gf({.other = outward(0.3), .variant = Variant::linear_filters}, beer);
  EXPECT_EQ(plan.filters[0], linear(1));
}

TEST(FilterPlan, VariantP) {
  const FilterPlan plan = plan_of(Variant::no_preference);
  EXPECT_FALSE(plan.preference.has_value());
  EXPECT_EQ(plan.filters, plan_of(Variant::full).filters);
}

TEST(FilterPlan, VariantMc) {
  const FilterPlan plan = plan_of(Variant::graph_per_criterion);
  EXPECT_THAT(plan.graphs, ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(sets_of(plan), ElementsAre(1, 2, 4, 8, 16));
  for (std::size_t c = 0; c < 5; ++c) {
    EXPECT_EQ(plan.branches[c].graph, c);
    EXPECT_EQ(plan.powers[plan.branches[c].values].graph, c);
  }
}

TEST(FilterPlan, HoldsTheMostCriteria) {
  std::vector<Criterion> many;
  for (std::size_t c = 0; c < max_criteria; ++c) many.push_back({"c" + std::to_string(c)});
  const FilterPlan plan = plan_ca_gf({}, many);
  EXPECT_EQ(plan.signals, 0xffffffffU);
  EXPECT_THAT(sets_of(plan), ElementsAre(0xffffffffU));
}

TEST(FilterPlan, UnknownCriterionIsAnErrorThatListsTheKnown) {
  const Error error = thrown_by([] {
    static_cast<void>(plan_ca_gf({.filters = {{"smell", linear()}}}, beer));
  });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_THAT(error.message(), HasSubstr("'smell'"));
  EXPECT_THAT(error.hint(), HasSubstr("overall, appearance, aroma, palate, taste"));
}

TEST(FilterPlan, FiltersThatCannotBeComputedAreErrorsThatNameTheCriterion) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Filter> bad = {
      {{}, 1},        {{1, infinite}, 1}, {{nothing}, 1}, {std::vector<double>(17, 0.1), 1},
      linear(0),      linear(-1),         linear(20.5),   linear(infinite),
      linear(nothing)};
  for (const Filter& filter : bad) {
    const Error error = thrown_by([&] {
      static_cast<void>(plan_ca_gf({.filters = {{"aroma", filter}}}, beer));
    });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(error.where().field, "aroma");
  }
}

TEST(FilterPlan, PreferencePowersFromAboveZeroToTwenty) {
  EXPECT_EQ(plan_ca_gf({.preference = 20}, beer).preference, 20);
  EXPECT_FALSE(plan_ca_gf({.preference = std::nullopt}, beer).preference.has_value());
  for (const double power : {0.0, -2.0, 20.5, std::numeric_limits<double>::quiet_NaN()}) {
    const Error error =
        thrown_by([&] { static_cast<void>(plan_ca_gf({.preference = power}, beer)); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << power;
  }
}

}  // namespace
}  // namespace palate
