// Names of methods, variants and published settings.
#include <algorithm>
#include <array>
#include <string>

#include "palate/error.hpp"
#include "palate/model.hpp"

namespace palate {
namespace {

constexpr std::array<std::string_view, 4> methods = {"ca-gf", "overall-only", "item-knn",
                                                     "popularity"};
constexpr std::array<std::string_view, 3> solvers = {"auto", "exact", "fast"};
constexpr std::array<std::string_view, 7> variants = {"full", "m", "single", "s", "f", "p", "mc"};

// Criterion by criterion L, I or O; docs/method.md tells how these differ from the letters in
// print.
struct PublishedSettings {
  std::string_view name;
  std::string_view filters;
  double linear_power, inward_power, outward_power;
  double preference;
};
constexpr std::array<PublishedSettings, 3> published = {{
    {"ym", "IOOIL", 1.0, 1.8, 1.05, 4.0},
    {"ta", "ILOLLOLL", 0.1, 1.2, 1.0, 2.0},
    {"ba", "LIOOL", 0.6, 1.5, 0.85, 2.0},
}};
constexpr std::array<std::string_view, 3> presets = {"ym", "ta", "ba"};

[[noreturn]] void unknown(std::string_view what, std::string_view name,
                          std::span<const std::string_view> known) {
  std::string list;
  for (const std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string(k);
  throw Error(ErrorCode::usage, "there is no " + std::string(what) + " '" + std::string(name) + "'",
              {}, "choose one of " + list);
}

}  // namespace

std::span<const std::string_view> method_names() noexcept { return methods; }
std::span<const std::string_view> variant_names() noexcept { return variants; }
std::span<const std::string_view> preset_names() noexcept { return presets; }

Method method_by_name(std::string_view name) {
  if (name == "ca-gf") return CaGf{};
  if (name == "overall-only") return CaGf{.variant = Variant::single};
  if (name == "item-knn") return ItemKnn{};
  if (name == "popularity") return Popularity{};
  unknown("method", name, methods);
}

std::string method_name(const Method& method) {
  if (std::holds_alternative<Popularity>(method)) return "popularity";
  if (std::holds_alternative<ItemKnn>(method)) return "item-knn";
  const Variant variant = std::get<CaGf>(method).variant;
  return variant == Variant::single ? "overall-only" : "ca-gf";
}

Variant variant_by_name(std::string_view name) {
  const auto* found = std::find(variants.begin(), variants.end(), name);
  if (found == variants.end()) unknown("variant", name, variants);
  return static_cast<Variant>(found - variants.begin());
}

std::string_view variant_name(Variant variant) noexcept {
  return variants[static_cast<std::size_t>(variant)];
}

std::span<const std::string_view> solver_names() noexcept { return solvers; }

Solver solver_by_name(std::string_view name) {
  const auto* found = std::find(solvers.begin(), solvers.end(), name);
  if (found == solvers.end()) unknown("solver", name, solvers);
  return static_cast<Solver>(found - solvers.begin());
}

std::string_view solver_name(Solver solver) noexcept {
  return solvers[static_cast<std::size_t>(solver)];
}

CaGf preset(std::string_view name, std::span<const Criterion> criteria) {
  const auto* found = std::find_if(published.begin(), published.end(),
                                   [name](const PublishedSettings& p) { return p.name == name; });
  if (found == published.end()) unknown("preset", name, presets);
  if (criteria.size() != found->filters.size()) {
    throw Error(ErrorCode::usage,
                "the preset '" + std::string(name) + "' is for " +
                    std::to_string(found->filters.size()) + " criteria, the data have " +
                    std::to_string(criteria.size()),
                {}, "let the filters be chosen from the data, or name one per criterion");
  }
  CaGf settings{.preference = found->preference};
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    const char letter = found->filters[c];
    const Filter filter = letter == 'L'   ? linear(found->linear_power)
                          : letter == 'I' ? inward(found->inward_power)
                                          : outward(found->outward_power);
    settings.filters.push_back({criteria[c].name, filter});
  }
  return settings;
}

}  // namespace palate
