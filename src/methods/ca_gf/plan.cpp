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
  for (const CaGf::CriterionFilter& choice : settings.filters) {
    const auto found = std::find_if(criteria.begin(), criteria.end(),
                                    [&](const Criterion& c) { return c.name == choice.criterion; });
    if (found == criteria.end()) {
      throw unknown_criterion(choice.criterion, criteria);
    }
    filters[static_cast<std::size_t>(found - criteria.begin())] = choice.filter;
  }
  for (std::size_t c = 0; c < criteria.size(); ++c) check(filters[c], criteria[c].name);
  return filters;
}

// Variants change filters; linear_filters keeps the power that the settings give to linear filters.
void apply_variant(Variant variant, std::vector<Filter>& filters) {
  if (variant == Variant::unit_powers) {
    for (Filter& filter : filters) filter.power = 1.0;
  } else if (variant == Variant::overall_only) {
    std::fill(filters.begin(), filters.end(), linear());
  } else if (variant == Variant::linear_filters) {
    const auto found = std::find_if(filters.begin(), filters.end(), [](const Filter& filter) {
      return filter.coefficients == linear().coefficients;
    });
    const double power = found == filters.end() ? 1.0 : found->power;
    std::fill(filters.begin(), filters.end(), linear(power));
  }
}

}  // namespace

Error unknown_criterion(std::string_view name, std::span<const Criterion> criteria) {
  std::string names;
  for (const Criterion& c : criteria) names += (names.empty() ? "" : ", ") + c.name;
  return {ErrorCode::usage,
          "there is no criterion '" + std::string(name) + "'",
          {},
          "the criteria are " + names};
}

FilterPlan plan_ca_gf(const CaGf& settings, std::span<const Criterion> criteria) {
  if (settings.preference && !(*settings.preference > 0 && *settings.preference <= 20)) {
    throw Error(ErrorCode::usage,
                "the power of the criteria preference must be above 0 and at most 20", {},
                "or turn the preference off");
  }
  FilterPlan plan;
  plan.criteria = criteria.size();
  plan.solver = settings.computing.solver;
  plan.neighbours = settings.computing.neighbours;
  plan.filters = filters_by_criterion(settings, criteria);
  apply_variant(settings.variant, plan.filters);
  const CriterionSet all = first_criteria(criteria.size());
  const bool single = settings.variant == Variant::overall_only;
  plan.signals = single ? 1U : all;
  if (!single && settings.variant != Variant::no_preference) plan.preference = settings.preference;
  if (settings.variant == Variant::graph_per_criterion) {
    for (std::size_t c = 0; c < criteria.size(); ++c) plan.graphs.push_back(1U << c);
  } else {
    plan.graphs = {single || settings.variant == Variant::overall_graph ? 1U : all};
  }
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    if ((plan.signals >> c & 1U) == 0) continue;
    const Filter& filter = plan.filters[c];
    const std::size_t graph = settings.variant == Variant::graph_per_criterion ? c : 0;
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
