// The published settings.
#include <algorithm>
#include <array>
#include <string>

#include "palate/error.hpp"
#include "palate/method.hpp"

namespace palate {
namespace {

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

}  // namespace

std::span<const std::string_view> preset_names() noexcept { return presets; }

CaGf preset(std::string_view name, std::span<const Criterion> criteria) {
  const auto* found = std::find_if(published.begin(), published.end(),
                                   [name](const PublishedSettings& p) { return p.name == name; });
  if (found == published.end()) {
    throw Error(ErrorCode::usage, "there is no preset '" + std::string(name) + "'", {},
                "choose one of ym, ta, ba");
  }
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
