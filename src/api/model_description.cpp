#include "api/model_description.hpp"

#include <nlohmann/json.hpp>

#include "palate/error.hpp"

namespace palate {

using Json = nlohmann::ordered_json;

// Names that are not UTF-8 are shown with replacement characters rather than refused.
std::string description_to_json(const ModelDescription& description) {
  Json criteria = Json::array();
  for (const Criterion& c : description.criteria) {
    criteria.push_back({{"name", c.name}, {"min", c.min}, {"max", c.max}});
  }
  const Json out = {
      {"palate", description.version},   {"settings", Json::parse(description.method.to_json())},
      {"criteria", std::move(criteria)}, {"users", description.users},
      {"items", description.items},      {"interactions", description.interactions}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ModelDescription description_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    ModelDescription out;
    out.version = json.at("palate").get<std::string>();
    try {
      out.method = Method::from_json(json.at("settings").dump());
    } catch (const Error& error) {
      throw Error(ErrorCode::corrupt, "the settings in the model file: " + error.message(), {},
                  "was it written by a newer version of palate? This one knows: " + error.hint());
    }
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
