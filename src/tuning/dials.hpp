// What the search for the adaptive filter's settings may change, and what it begins with.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "methods/adaptive/adaptive.hpp"

namespace palate {

/// One setting that may be changed, by which steps, and how a person calls it.
struct Dial {
  const char* name;
  double Adaptive::*value;
  double step;
  double least, most;
  double neutral = 0;  ///< as if it were not there
  bool times = false;  ///< the step is a factor
  bool ridge_only = false;
  /// Speaks of how popular items are, so that all of them have to be there.
  bool popularity = false;
  bool cheap = false;  ///< needs no new weights
};

inline constexpr std::array dials = {
    Dial{"target power", &Adaptive::target_power, 0.1, -0.3, 1.0, 0, false, false, true, true},
    Dial{"source power", &Adaptive::source_power, 0.1, -0.3, 1.0, 0, false, false, true, true},
    Dial{"rating power", &Adaptive::rating_power, 0.35, 0.0, 3.0, 0, false, false, false, true},
    Dial{"lambda", &Adaptive::lambda, 1.8, 1e-3, 1e4, 0, true, true},
    Dial{"link power", &Adaptive::link_power, 0.2, 0.1, 3.0, 1},
    Dial{"user power", &Adaptive::user_power, 0.125, 0.0, 0.75},
    Dial{"lambda power", &Adaptive::lambda_power, 0.2, -0.5, 1.0, 0, false, true, true},
    Dial{"level power", &Adaptive::level_power, 0.5, 0.0, 3.0},
};

/// EASE^R whose lambda is a multiple of the mean number of an item's ratings.
[[nodiscard]] inline Adaptive ease_settings(double lambda) {
  return {.user_power = 0,
          .level_power = 0,
          .link_power = 1,
          .lambda = lambda,
          .lambda_power = 0,
          .source_power = 0,
          .target_power = 0,
          .rating_power = 0};
}

/// CA-GF's linear filter on overall ratings.
[[nodiscard]] inline Adaptive plain_settings() {
  return {.weights = Adaptive::Weights::graph,
          .user_power = 0.5,
          .level_power = 1,
          .link_power = 1,
          .source_power = 0.5,
          .target_power = 0.5,
          .rating_power = 1};
}

[[nodiscard]] inline Adaptive good_graph_settings() {
  return {.weights = Adaptive::Weights::graph,
          .user_power = 0.5,
          .level_power = 1,
          .link_power = 0.3,
          .source_power = 0.2,
          .target_power = 0,
          .rating_power = 0};
}

}  // namespace palate
