#include "api/settings_json.hpp"

#include <nlohmann/json.hpp>

#include "palate/error.hpp"

namespace palate {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Filter& filter) {
  return {{"filter", filter_name(filter)},
          {"coefficients", filter.coefficients},
          {"power", filter.power}};
}

Filter filter_from(const Json& json) {
  return {json.at("coefficients").get<std::vector<double>>(), json.at("power").get<double>()};
}

struct ToJson {
  Json operator()(const CaGf& settings) const {
    Json filters = Json::array();
    for (const CaGf::Choice& choice : settings.filters) {
      Json one = {{"criterion", choice.criterion}};
      one.update(to_json(choice.filter));
      filters.push_back(std::move(one));
    }
    Json out = {{"method", "ca-gf"},
                {"variant", std::string(variant_name(settings.variant))},
                {"filters", std::move(filters)},
                {"other", to_json(settings.other)}};
    out["preference"] = settings.preference ? Json(*settings.preference) : Json(nullptr);
    out["solver"] = std::string(solver_name(settings.solver));
    out["neighbours"] = settings.neighbours;
    return out;
  }
  Json operator()(const Popularity& /*settings*/) const { return {{"method", "popularity"}}; }
  Json operator()(const ItemKnn& settings) const {
    return {
        {"method", "item-knn"}, {"neighbours", settings.neighbours}, {"shrink", settings.shrink}};
  }
};

Method method_from(const Json& json) {
  const auto name = json.at("method").get<std::string>();
  if (name == "popularity") return Popularity{};
  if (name == "item-knn") {
    return ItemKnn{json.at("neighbours").get<std::size_t>(), json.at("shrink").get<double>()};
  }
  if (name != "ca-gf") {
    throw Error(ErrorCode::corrupt, "the model was made by the unknown method '" + name + "'", {},
                "was it written by a newer version of palate?");
  }
  CaGf settings;
  settings.variant = variant_by_name(json.at("variant").get<std::string>());
  for (const Json& one : json.at("filters")) {
    settings.filters.push_back({one.at("criterion").get<std::string>(), filter_from(one)});
  }
  settings.other = filter_from(json.at("other"));
  const Json& preference = json.at("preference");
  settings.preference =
      preference.is_null() ? std::nullopt : std::optional<double>(preference.get<double>());
  settings.solver = solver_by_name(json.at("solver").get<std::string>());
  settings.neighbours = json.at("neighbours").get<std::size_t>();
  return settings;
}

// Names that are not UTF-8 are shown with replacement characters rather than refused.
std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string settings_to_json(const Method& method) { return to_text(std::visit(ToJson{}, method)); }

std::string description_to_json(const Description& description) {
  Json criteria = Json::array();
  for (const Criterion& c : description.criteria) {
    criteria.push_back({{"name", c.name}, {"min", c.min}, {"max", c.max}});
  }
  const Json out = {
      {"palate", description.version},   {"settings", std::visit(ToJson{}, description.method)},
      {"criteria", std::move(criteria)}, {"users", description.users},
      {"items", description.items},      {"interactions", description.interactions}};
  return to_text(out);
}

Description description_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Description out;
    out.version = json.at("palate").get<std::string>();
    out.method = method_from(json.at("settings"));
    for (const Json& c : json.at("criteria")) {
      out.criteria.push_back(
          {c.at("name").get<std::string>(), c.at("min").get<float>(), c.at("max").get<float>()});
    }
    out.users = json.at("users").get<std::size_t>();
    out.items = json.at("items").get<std::size_t>();
    out.interactions = json.at("interactions").get<std::size_t>();
    return out;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::corrupt,
                std::string("the description in the model file is damaged: ") + error.what());
  }
}

}  // namespace palate
