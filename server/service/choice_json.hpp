// How filters were chosen: beside a kept model, in GET /v1/model, and in what the tool prints.
#pragma once

#include "palate/model.hpp"
#include "server/http/json.hpp"

namespace palate::server {

[[nodiscard]] Json choice_json(const Choice& choice);
[[nodiscard]] Choice choice_from(const Json& value);

}  // namespace palate::server
