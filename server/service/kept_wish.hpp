// What a kept model was asked to be, in the description beside it.
#pragma once

#include <filesystem>

#include "palate/model.hpp"
#include "server/http/json.hpp"

namespace palate::server {

[[nodiscard]] inline std::filesystem::path description_of(const std::filesystem::path& model) {
  return model.string() + ".json";
}

[[nodiscard]] inline Json wish_json(const MethodRequest& wish) {
  return {{"method", wish.method}, {"settings", wish.settings}};
}
[[nodiscard]] inline MethodRequest wish_from(const Json& value) {
  MethodRequest wish{value.at("method").get<std::string>(), {}};
  for (const Json& pair : value.at("settings")) {
    wish.settings.emplace_back(pair.at(0).get<std::string>(), pair.at(1).get<std::string>());
  }
  wish.check();
  return wish;
}

}  // namespace palate::server
