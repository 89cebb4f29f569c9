// What the ratings of a store look like, for GET /v1/data.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "palate/ratings.hpp"
#include "server/http/json.hpp"

namespace palate::server {

/// Everything but the counts of the moment: "criteria", "long_tail", "ratings_per_user".
[[nodiscard]] Json statistics_json(const Ratings& ratings);

}  // namespace palate::server
