// What ratings look like, for GET /v1/data and for the report.
#pragma once

#include <cstddef>
#include <vector>

#include "palate/ratings.hpp"
#include "server/http/json.hpp"

namespace palate::server {

/// How one criterion was rated: a bar per value where there are few, as on a scale of stars, else
/// `most_bars` of equal width.
struct Distribution {
  struct Bar {
    double from = 0, to = 0;  ///< equal where the bar is a single value
    std::size_t count = 0;
  };
  std::vector<Bar> bars = {};
  std::size_t ratings = 0;
  double mean = 0;
};
[[nodiscard]] Distribution distribution(const Ratings& ratings, std::size_t criterion,
                                        std::size_t most_bars);

/// Everything but the counts of the moment: "criteria", "long_tail", "ratings_per_user".
[[nodiscard]] Json statistics_json(const Ratings& ratings);

}  // namespace palate::server
