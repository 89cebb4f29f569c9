// Matches, predicted ratings and their errors as JSON, for the service and the tool.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "palate/model.hpp"
#include "server/http/json.hpp"

namespace palate::server {

[[nodiscard]] inline Json match_json(std::optional<double> match) {
  return match ? Json(decimal(static_cast<float>(*match))) : Json(nullptr);
}

/// By name; null where nothing is predicted.
[[nodiscard]] inline Json predicted_json(std::span<const float> predicted,
                                         std::span<const Criterion> criteria) {
  Json out(nullptr);
  for (std::size_t c = 0; c < predicted.size() && c < criteria.size(); ++c) {
    if (!std::isnan(predicted[c])) {
      out[criteria[c].name] = decimal(predicted[c]);
    }
  }
  return out;
}

/// By name; null where nothing is predicted.
[[nodiscard]] inline Json prediction_json(std::span<const PredictionError> errors,
                                          std::span<const Criterion> criteria) {
  Json out(nullptr);
  for (const PredictionError& error : errors) {
    out[criteria[error.criterion].name] = {
        {"mae", error.mae}, {"trivial_mae", error.trivial_mae}, {"ratings", error.ratings}};
  }
  return out;
}

}  // namespace palate::server
