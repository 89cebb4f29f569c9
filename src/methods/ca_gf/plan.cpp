#include "methods/ca_gf/plan.hpp"

#include <algorithm>
#include <cmath>

#include "palate/error.hpp"

namespace palate {
namespace {

void check(const Filter& filter, const std::string& criterion) {
  const bool finite = std::all_of(filter.coefficients.begin(), filter.coefficients.end(),
                                  [](double a) { return std::isfinite(a); });
  if (filter.coefficients.empty() || filter.coefficients.size() > 16 || !finite) {
    throw Error(ErrorCode::usage, "a filter needs 1 to 16 finite coefficients",
                {.field = criterion});
  }
  if (!(filter.power > 0) || filter.power > 20) {
    throw Error(ErrorCode::usage, "the power of a filter must be above 0 and at most 20",
                {.field = criterion});
  }
}

std::vector<Filter> filters_by_criterion(const CaGf& settings,
                                         std::span<const Criterion> criteria) {
  std::vector<Filter> filters(criteria.size(), settings.other);
  for (const CaGf::Choice& choice : settings.filters) {
    const auto found = std::find_if(criteria.begin(), criteria.end(),
                                    [&](const Criterion& c) { return c.name == choice.criterion; });
    if (found == criteria.end()) {
      std::string names;
      for (const Criterion& c : criteria) names += (names.empty() ? "" : ", ") + c.name;
      throw Error(ErrorCode::usage, "there is no criterion '" + choice.criterion + "'", {},
                  "the criteria are " + names);
    }
    filters[static_cast<std::size_t>(found - criteria.begin())] = choice.filter;
  }
  for (std::size_t c = 0; c < criteria.size(); ++c) check(filters[c], criteria[c].name);
  return filters;
}

// Variants change filters; f keeps the power that the settings give to linear filters.
void apply_variant(Variant variant, std::vector<Filter>& filters) {
  if (variant == Variant::s) {
    for (Filter& filter : filters) filter.power = 1.0;
  } else if (variant == Variant::single) {
    std::fill(filters.begin(), filters.end(), linear());
  } else if (variant == Variant::f) {
    const auto found = std::find_if(filters.begin(), filters.end(), [](const Filter& filter) {
      return filter.coefficients == linear().coefficients;
    });
    const double power = found == filters.end() ? 1.0 : found->power;
    std::fill(filters.begin(), filters.end(), linear(power));
  }
}

}  // namespace

FilterPlan plan_ca_gf(const CaGf& settings, std::span<const Criterion> criteria) {
  if (settings.preference && !(*settings.preference > 0 && *settings.preference <= 20)) {
    throw Error(ErrorCode::usage,
                "the power of the criteria preference must be above 0 and at most 20", {},
                "or turn the preference off");
  }
  FilterPlan plan;
  plan.criteria = criteria.size();
  plan.solver = settings.solver;
  plan.neighbours = settings.neighbours;
  plan.filters = filters_by_criterion(settings, criteria);
  apply_variant(settings.variant, plan.filters);
  const CriterionSet all =
      criteria.size() >= 32 ? ~CriterionSet{0} : (CriterionSet{1} << criteria.size()) - 1;
  const bool single = settings.variant == Variant::single;
  plan.signals = single ? 1U : all;
  if (!single && settings.variant != Variant::p) plan.preference = settings.preference;
  if (settings.variant == Variant::mc) {
    for (std::size_t c = 0; c < criteria.size(); ++c) plan.graphs.push_back(1U << c);
  } else {
    plan.graphs = {single || settings.variant == Variant::m ? 1U : all};
  }
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    if ((plan.signals >> c & 1U) == 0) continue;
    const Filter& filter = plan.filters[c];
    const std::size_t graph = settings.variant == Variant::mc ? c : 0;
    const auto same_values = std::find_if(
        plan.powers.begin(), plan.powers.end(),
        [&](const FilterPlan::Adjusted& a) { return a.graph == graph && a.power == filter.power; });
    const auto values = static_cast<std::size_t>(same_values - plan.powers.begin());
    if (same_values == plan.powers.end()) plan.powers.push_back({graph, filter.power});
    const auto same =
        std::find_if(plan.branches.begin(), plan.branches.end(), [&](const Branch& b) {
          return b.values == values && b.coefficients == filter.coefficients;
        });
    if (same == plan.branches.end()) {
      plan.branches.push_back({graph, values, filter.coefficients, 1U << c});
    } else {
      same->criteria |= 1U << c;
    }
  }
  return plan;
}

}  // namespace palate
