#include "methods/registry.hpp"

#include <array>

#include "palate/error.hpp"

// The list of methods, in the order for display: each is a folder here, whose NAME_method()
// describes it.
#define PALATE_METHODS(METHOD) \
  METHOD(adaptive)             \
  METHOD(ca_gf)                \
  METHOD(ease)                 \
  METHOD(item_knn)             \
  METHOD(gf_cf)                \
  METHOD(gf_cf_mc)             \
  METHOD(turbo_cf)             \
  METHOD(pgsp)                 \
  METHOD(bspm)                 \
  METHOD(fire)                 \
  METHOD(chebycf)              \
  METHOD(sgfcf)                \
  METHOD(edlae)                \
  METHOD(popularity)

namespace palate {

#define PALATE_DECLARE(name) MethodEntry name##_method();
PALATE_METHODS(PALATE_DECLARE)
#undef PALATE_DECLARE

std::span<const MethodEntry> method_entries() {
#define PALATE_ENTRY(name) name##_method(),
  static const std::array entries = {PALATE_METHODS(PALATE_ENTRY)};
#undef PALATE_ENTRY
  return entries;
}

NamedMethod find_method(std::string_view name) {
  std::string known;
  for (const MethodEntry& entry : method_entries()) {
    if (entry.description.name == name) return {&entry};
    known += (known.empty() ? "" : ", ") + entry.description.name;
    for (const MethodDescription::Alias& alias : entry.description.aliases) {
      if (alias.name == name) return {&entry, &alias};
      known += ", " + alias.name;
    }
  }
  throw Error(ErrorCode::usage, "there is no method '" + std::string(name) + "'", {},
              "choose one of " + known);
}

std::span<const MethodDescription> methods() {
  static const std::vector<MethodDescription> all = [] {
    std::vector<MethodDescription> out;
    for (const MethodEntry& entry : method_entries()) out.push_back(entry.description);
    return out;
  }();
  return all;
}

const MethodDescription& describe_method(std::string_view name) {
  const MethodEntry* entry = find_method(name).entry;
  return methods()[static_cast<std::size_t>(entry - method_entries().data())];
}

std::vector<std::string> method_names() {
  std::vector<std::string> out;
  for (const MethodEntry& entry : method_entries()) {
    out.push_back(entry.description.name);
    for (const auto& alias : entry.description.aliases) out.push_back(alias.name);
  }
  return out;
}

}  // namespace palate
