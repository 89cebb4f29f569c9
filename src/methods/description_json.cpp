// What a method says of itself, as JSON: for the tool, and for whatever is generated from it.
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "palate/method.hpp"

namespace palate {
namespace {

using Json = nlohmann::ordered_json;

struct Ability {
  const char* name;
  bool Abilities::*has;
};
constexpr std::array<Ability, 5> abilities = {{{"explain", &Abilities::explain},
                                               {"weigh_criteria", &Abilities::weigh_criteria},
                                               {"serve_newcomers", &Abilities::serve_newcomers},
                                               {"follow_live", &Abilities::follow_live},
                                               {"find_similar", &Abilities::find_similar}}};

Json setting_json(const Setting& setting) {
  constexpr std::array<std::string_view, 8> kinds = {
      "flag", "count", "number", "optional_number", "choice", "filter", "filters", "text"};
  Json out = {{"name", setting.name},
              {"kind", kinds.at(static_cast<std::size_t>(setting.kind))},
              {"default", setting.default_value},
              {"help", setting.help},
              {"computing", setting.computing},
              {"repeatable", setting.repeatable}};
  if (std::isfinite(setting.least)) {
    out[setting.above_least ? "above" : "at_least"] = setting.least;
  }
  if (std::isfinite(setting.most)) out["at_most"] = setting.most;
  if (!setting.choices.empty()) out["choices"] = setting.choices;
  if (!setting.short_choices.empty()) out["short_choices"] = setting.short_choices;
  return out;
}

}  // namespace

std::string to_json(const MethodDescription& method) {
  Json out = {{"name", method.name},
              {"class", method.class_name},
              {"summary", method.summary},
              {"trained", method.trained},
              {"reconstruction", method.reconstruction}};
  for (const Ability& ability : abilities) out["can"][ability.name] = method.can.*ability.has;
  out["settings"] = Json::array();
  for (const Setting& setting : method.settings) out["settings"].push_back(setting_json(setting));
  out["asks"] = Json::array();
  for (const Setting& ask : method.asks) out["asks"].push_back(setting_json(ask));
  out["aliases"] = Json::array();
  for (const MethodDescription::Alias& alias : method.aliases) {
    out["aliases"].push_back({{"name", alias.name},
                              {"class", alias.class_name},
                              {"summary", alias.summary},
                              {"setting", alias.setting},
                              {"value", alias.value}});
  }
  return out.dump();
}

}  // namespace palate
