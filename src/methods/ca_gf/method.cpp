// CA-GF as the registry knows it: its settings, and what may be asked for instead of them.
#include <algorithm>

#include "methods/ca_gf/ca_gf.hpp"
#include "methods/describe.hpp"
#include "palate/error.hpp"

namespace palate {

MethodEntry ca_gf_method();

namespace {

std::unique_ptr<const Recommender> fit(const Ratings& train, const CaGf& settings,
                                       const FitResources& resources) {
  return CaGfRecommender::fit(train, plan_ca_gf(settings, train.criteria()), resources);
}

std::unique_ptr<const Recommender> load(const Parts& parts, const CaGf& settings,
                                        const Ratings& train) {
  return CaGfRecommender::load(parts, plan_ca_gf(settings, train.criteria()), train);
}

const std::string* last(Words asks, std::string_view name) {
  const std::string* out = nullptr;
  for (const auto& [key, value] : asks) {
    if (key == name) out = &value;
  }
  return out;
}

// "taste=outward:0.85"
CaGf::CriterionFilter criterion_filter(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(ErrorCode::usage, "filter needs criterion=filter, not '" + text + "'", {},
                "for example taste=outward:0.85");
  }
  return {text.substr(0, equals), parse_filter(text.substr(equals + 1))};
}

/// preset: published settings. filters: one for every criterion, or "auto". filter: of one
/// criterion, the others being linear if nothing else is said.
class CaGfAsks final : public Asks {
 public:
  void check(Words asks) const override {
    const std::string* preset = last(asks, "preset");
    const std::string* filters = last(asks, "filters");
    if (preset != nullptr && filters != nullptr) {
      throw Error(ErrorCode::usage, "preset and filters both name the filters", {},
                  "leave one of them out");
    }
    if (filters != nullptr && *filters != "auto") static_cast<void>(parse_filter(*filters));
    for (const auto& [name, value] : asks) {
      if (name == "filter") static_cast<void>(criterion_filter(value));
    }
  }

  bool open(Words asks, const Method& given) const override {
    if (last(asks, "preset") != nullptr) return false;
    if (given.ca_gf()->variant == Variant::overall_only) return false;  // one filter by definition
    const std::string* filters = last(asks, "filters");
    return filters != nullptr ? *filters == "auto" : last(asks, "filter") == nullptr;
  }

  Method start(Words asks, std::span<const Criterion> criteria) const override {
    if (const std::string* name = last(asks, "preset")) return preset(*name, criteria);
    CaGf settings;
    const std::string* filters = last(asks, "filters");
    if (filters != nullptr && *filters != "auto") settings.other = parse_filter(*filters);
    return settings;
  }

  Method finish(Words asks, Method method, std::span<const Criterion> criteria) const override {
    CaGf settings = *method.ca_gf();
    for (const auto& [name, value] : asks) {
      if (name != "filter") continue;
      CaGf::CriterionFilter one = criterion_filter(value);
      const auto same = [&one](const auto& other) { return other.criterion == one.criterion; };
      if (std::none_of(criteria.begin(), criteria.end(),
                       [&one](const Criterion& c) { return c.name == one.criterion; })) {
        throw unknown_criterion(one.criterion, criteria);
      }
      const auto found = std::find_if(settings.filters.begin(), settings.filters.end(), same);
      if (found != settings.filters.end()) {
        *found = std::move(one);
      } else {
        settings.filters.push_back(std::move(one));
      }
    }
    return settings;
  }
};

}  // namespace

MethodEntry ca_gf_method() {
  std::vector<std::string> presets(preset_names().begin(), preset_names().end());
  return Describe<CaGf>("ca-gf", "CAGF",
                        "Criteria-aware graph filtering: a low-pass filter of the item graph per "
                        "criterion.")
      .setting(
          &CaGf::variant,
          {.name = "variant",
           .help = "A part of ca-gf taken away or exchanged, for ablation. The paper's letters "
                   "m, s, f, p and mc are accepted too.",
           .choices = {"full", "overall-graph", "overall-only", "unit-powers", "linear-filters",
                       "no-preference", "graph-per-criterion"},
           .short_choices = {"full", "m", "single", "s", "f", "p", "mc"},
           .option = true})
      .setting(&CaGf::filters, {.name = "filters",
                                .help = "The filter and power of each criterion that has its own."})
      .setting(&CaGf::other,
               {.name = "other", .help = "The filter of criteria that have none of their own."})
      .setting(&CaGf::preference, {.name = "preference",
                                   .help = "Power of the criteria preference, or off.",
                                   .least = 0,
                                   .most = 20,
                                   .above_least = true,
                                   .option = true})
      .setting([](CaGf& s) -> Solver& { return s.computing.solver; },
               {.name = "solver",
                .help = "How filters of second order are computed where many items are linked: "
                        "exact, fast (by the leading directions of the graph), or auto: exact, or "
                        "on large data fast if that changes at most 1 in 2,000 places of a sample "
                        "of lists, or if links are left out.",
                .choices = {"auto", "exact", "fast"},
                .computing = true,
                .option = true})
      .setting([](CaGf& s) -> std::size_t& { return s.computing.neighbours; },
               {.name = "neighbours",
                .help = "Links kept per item, the strongest; 0: all, or 400 where all would be too "
                        "many for memory or time.",
                .computing = true,
                .option = true})
      .asks(
          {{.name = "preset",
            .help = "Published settings, laid over the criteria in their order.",
            .choices = std::move(presets),
            .option = true},
           {.name = "filters",
            .help = "The filter of every criterion: linear, inward, outward or coefficients such "
                    "as 0.7,0.1, with a power after a colon. auto: filters and powers are chosen "
                    "on a validation part of the ratings.",
            .default_value = "auto",
            .option = true},
           {.name = "filter",
            .help = "The filter of one criterion, such as taste=outward:0.85. Without filters the "
                    "other criteria are linear.",
            .option = true,
            .repeatable = true}},
          std::make_shared<CaGfAsks>())
      .alias({.name = "overall-only",
              .class_name = "OverallOnly",
              .setting = "variant",
              .value = "overall-only",
              .summary = "CA-GF on the overall ratings alone: what the other criteria are worth "
                         "shows beside it."})
      .can({.explain = true,
            .weigh_criteria = true,
            .serve_newcomers = true,
            .follow_live = true,
            .find_similar = true})
      .entry(fit, load);
}

}  // namespace palate
