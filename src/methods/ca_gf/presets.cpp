#include "methods/ca_gf/presets.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "palate/error.hpp"

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

const PublishedSettings& find(std::string_view name) {
  const auto* found = std::find_if(published.begin(), published.end(),
                                   [name](const PublishedSettings& p) { return p.name == name; });
  if (found == published.end()) {
    throw Error(ErrorCode::usage, "there is no preset '" + std::string(name) + "'", {},
                "choose one of ym, ta, ba");
  }
  return *found;
}

}  // namespace

std::span<const std::string_view> preset_names() noexcept { return presets; }

bool preset_suits(std::string_view name, std::span<const Criterion> criteria) noexcept {
  return std::any_of(published.begin(), published.end(), [&](const PublishedSettings& p) {
    return p.name == name && p.filters.size() == criteria.size();
  });
}

CaGf preset_for(std::string_view name, std::span<const Criterion> criteria) {
  const PublishedSettings& found = find(name);
  CaGf settings{.preference = found.preference};
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    const char letter = found.filters[c == 0 ? 0 : 1 + (c - 1) % (found.filters.size() - 1)];
    const Filter filter = letter == 'L'   ? linear(found.linear_power)
                          : letter == 'I' ? inward(found.inward_power)
                                          : outward(found.outward_power);
    settings.filters.push_back({criteria[c].name, filter});
  }
  return settings;
}

CaGf preset(std::string_view name, std::span<const Criterion> criteria) {
  const std::size_t meant = find(name).filters.size();
  if (criteria.size() != meant) {
    throw Error(ErrorCode::usage,
                "the preset '" + std::string(name) + "' is for " + std::to_string(meant) +
                    " criteria, the data have " + std::to_string(criteria.size()),
                {}, "let the filters be chosen from the data, or name one per criterion");
  }
  return preset_for(name, criteria);
}

}  // namespace palate
