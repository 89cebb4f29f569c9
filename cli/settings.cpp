#include "settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

std::string words(std::span<const std::string_view> names) {
  std::vector<std::string> list(names.begin(), names.end());
  return join(list, "|");
}

void require_name(std::string_view option, const std::string& name,
                  std::span<const std::string_view> names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::vector<std::string> list(names.begin(), names.end());
  throw wrong_call(fmt::format("{}: there is no '{}'", option, printable(name)),
                   fmt::format("it is one of {}", join(list, ", ")));
}

void set_filter(CaGf& settings, const std::string& text, const Ratings& train) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw wrong_call(fmt::format("--filter needs criterion=filter, not '{}'", printable(text)),
                     "for example --filter taste=outward:0.85");
  }
  const std::string criterion = text.substr(0, equals);
  require_criterion(train, criterion, "--filter");
  const Filter filter = parse_filter(text.substr(equals + 1));
  const auto place = std::find_if(settings.filters.begin(), settings.filters.end(),
                                  [&](const auto& c) { return c.criterion == criterion; });
  if (place != settings.filters.end()) {
    place->filter = filter;
  } else {
    settings.filters.push_back({criterion, filter});
  }
}

std::optional<double> parse_preference(const std::string& text) {
  if (text == "off") return std::nullopt;
  return parse_number("--preference", text);
}

CaGf ca_gf(Session& session, const MethodOptions& options, const Ratings& train,
           const ChooseOptions& choose, std::optional<Choice>& cache, std::optional<Choice>& used) {
  if (options.preset && options.filters) {
    throw wrong_call("--preset and --filters both name the filters", "leave one of them out");
  }
  CaGf settings;
  if (options.variant) settings.variant = variant_by_name(*options.variant);
  const bool automatic =
      !options.preset && (options.filters ? *options.filters == "auto" : options.filter.empty());
  if (options.preset) {
    settings = preset(*options.preset, train.criteria());
  } else if (automatic && settings.variant != Variant::single) {
    // The single variant has one filter by definition: nothing to choose.
    if (!cache) {
      session.stage("choosing filters");
      cache = choose_filters(train, choose, session.run());
    }
    used = cache;
    settings = cache->settings;
  } else if (!automatic && options.filters) {
    settings.other = parse_filter(*options.filters);
  }
  if (options.variant) settings.variant = variant_by_name(*options.variant);
  for (const std::string& text : options.filter) set_filter(settings, text, train);
  if (options.preference) settings.preference = parse_preference(*options.preference);
  return settings;
}

}  // namespace

void add_method_options(Command& command, MethodOptions& options) {
  command.group("Method");
  command.option("--method", options.method, words(method_names()),
                 "Which method; by default ca-gf.");
  command.option("--preset", options.preset, words(preset_names()),
                 "Published settings, laid over the criteria in their order.");
  command.option("--filters", options.filters, "auto|linear|inward|outward|FILTER:POWER",
                 "The filter of every criterion. By default auto: filters and powers are chosen on "
                 "a validation part of the ratings.");
  command.repeatable("--filter", options.filter, "CRITERION=FILTER[:POWER]",
                     "The filter of one criterion: linear, inward, outward or coefficients such as "
                     "0.7,0.1. Without --filters the other criteria are linear.");
  command.option("--preference", options.preference, "POWER|off",
                 "Power of the criteria preference, or off.");
  command.option("--variant", options.variant, words(variant_names()),
                 "A part of ca-gf taken away or exchanged.");
  command.option("--solver", options.solver, words(solver_names()),
                 "How filters of second order are computed where many items are linked, for ca-gf: "
                 "exact, fast (by the leading directions of the graph), or by default auto: exact, "
                 "or on large data fast if that changes at most 1 in 2,000 places of a sample of "
                 "lists, or if links are left out.");
  command.option(
      "--neighbours", options.neighbours,
      "Links kept per item, the strongest. For ca-gf by default 0: all, or 400 where all "
      "would be too many for memory or time; for item-knn 100.");
  command.option("--shrink", options.shrink, "Damping of rare items, for item-knn (0).");
}

void add_memory_option(Command& command, CommonOptions& common) {
  command.add(
      "--memory", "SIZE",
      "Memory that fitting may take besides the ratings, such as 8GB or 512MB; by default "
      "what the machine has to spare.",
      [&common](const std::string& text) { common.memory = parse_bytes("--memory", text); });
}

bool MethodOptions::any() const {
  return method || preset || filters || variant || preference || solver || !filter.empty() ||
         neighbours || shrink;
}

MethodOptions parse_method(const std::string& text) {
  MethodOptions options;
  std::size_t colon = text.find(':');
  options.method = text.substr(0, colon);
  require_name("--methods", *options.method, method_names());
  while (colon != std::string::npos) {
    std::string word = text.substr(colon + 1);
    // A filter has a colon of its own, so it takes the rest.
    colon = word.starts_with("filters=") ? std::string::npos : text.find(':', colon + 1);
    if (colon != std::string::npos) word.resize(word.find(':'));
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (equals == std::string::npos) {
      options.variant = word;
    } else if (key == "preset") {
      options.preset = value;
    } else if (key == "filters") {
      options.filters = value;
    } else if (key == "preference") {
      options.preference = value;
    } else if (key == "solver") {
      options.solver = value;
    } else if (key == "neighbours") {
      options.neighbours = parse_count("--methods neighbours", value);
    } else if (key == "shrink") {
      options.shrink = parse_number("--methods shrink", value);
    } else {
      throw wrong_call(fmt::format("--methods: '{}' has no option '{}'", *options.method, key),
                       "there are preset, filters, preference, solver, neighbours, shrink, or a "
                       "variant's name");
    }
  }
  // Here rather than after the methods before it have been fitted.
  if (options.preset) require_name("--methods preset", *options.preset, preset_names());
  if (options.variant) require_name("--methods variant", *options.variant, variant_names());
  if (options.solver) require_name("--methods solver", *options.solver, solver_names());
  if (options.filters && *options.filters != "auto") {
    static_cast<void>(parse_filter(*options.filters));
  }
  return options;
}

Settled settle(Session& session, const MethodOptions& options, const Ratings& train,
               const ChooseOptions& choose, std::optional<Choice>* cache) {
  const std::string name = options.method.value_or("ca-gf");
  require_name("--method", name, method_names());
  if (options.preset) require_name("--preset", *options.preset, preset_names());
  if (options.variant) require_name("--variant", *options.variant, variant_names());
  const bool filtered = options.preset || options.filters || options.variant ||
                        options.preference || !options.filter.empty();
  if (filtered && name != "ca-gf") {
    throw wrong_call(fmt::format("{} has no filters, preset, preference or variant", name),
                     "these options belong to --method ca-gf");
  }
  if (options.solver) require_name("--solver", *options.solver, solver_names());
  Settled out{method_by_name(name), std::nullopt, name};
  // overall-only is ca-gf with one filter given.
  const bool graph = std::holds_alternative<CaGf>(out.method);
  if (options.solver && !graph) {
    throw wrong_call(fmt::format("{} has no --solver", name), "it belongs to --method ca-gf");
  }
  if (options.neighbours && name == "popularity") {
    throw wrong_call("popularity has no --neighbours", "it belongs to --method ca-gf and item-knn");
  }
  if (options.shrink && name != "item-knn") {
    throw wrong_call(fmt::format("{} has no --shrink", name), "it belongs to --method item-knn");
  }
  if (auto* knn = std::get_if<ItemKnn>(&out.method)) {
    knn->neighbours = options.neighbours.value_or(knn->neighbours);
    knn->shrink = options.shrink.value_or(knn->shrink);
  }
  if (name == "ca-gf") {
    std::optional<Choice> own;
    out.method =
        ca_gf(session, options, train, choose, cache != nullptr ? *cache : own, out.choice);
    if (options.variant && *options.variant != "full") out.name += ":" + *options.variant;
  }
  if (auto* settings = std::get_if<CaGf>(&out.method)) {
    if (options.solver) settings->solver = solver_by_name(*options.solver);
    settings->neighbours = options.neighbours.value_or(settings->neighbours);
  }
  return out;
}

std::string settings_text(const Session& session, const Model& model) {
  const ModelInfo info = model.info();
  std::string out = fmt::format("method      {}", info.method);
  if (!info.variant.empty() && info.variant != "full")
    out += fmt::format(", variant {}", info.variant);
  out += "\n";
  if (info.filters.empty()) return out;
  Table table({{"criterion", false, true}, {"filter"}, {"power", true}});
  for (std::size_t c = 0; c < info.filters.size() && c < info.criteria.size(); ++c) {
    table.row({printable(info.criteria[c].name), filter_name(info.filters[c]),
               fmt::format("{:g}", info.filters[c].power)});
  }
  out += info.preference ? fmt::format("preference  power {:g}\n\n", *info.preference)
                         : std::string("preference  off\n\n");
  return out + table.text(session.out);
}

std::string engine_text(const ModelInfo& info) {
  if (info.storage.empty()) return {};
  return fmt::format("{} graph, {} solver{}{}\n", info.storage, info.solver,
                     info.why.empty() ? "" : ": ", printable(info.why));
}

std::string choice_text(const Choice& choice) {
  const auto taken = std::count_if(choice.steps.begin(), choice.steps.end(),
                                   [](const Choice::Step& step) { return step.taken; });
  return fmt::format(
      "filters chosen on a validation part of {} users: NDCG {:.4f}, from {:.4f} with plain linear "
      "filters ({} settings tried, {} taken)\n",
      grouped(choice.users), choice.ndcg_end, choice.ndcg_start, choice.steps.size(), taken);
}

}  // namespace palate::cli
