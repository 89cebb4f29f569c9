// How settings were chosen: beside a kept model, and in GET /v1/model.
#pragma once

#include "palate/model.hpp"
#include "server/http/json.hpp"

namespace palate::server {

[[nodiscard]] inline Json choice_json(const Choice& choice) { return Json::parse(to_json(choice)); }
[[nodiscard]] inline Choice choice_from(const Json& value) {
  return choice_from_json(value.dump());
}

}  // namespace palate::server
