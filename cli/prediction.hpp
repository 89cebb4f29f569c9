// Predicted ratings and their errors in words and tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palate/palate.hpp"
#include "session.hpp"
#include "shown.hpp"

namespace palate::cli {

/// "overall 4.2, service 3.9"; "" if nothing is predicted.
[[nodiscard]] std::string predicted_text(std::span<const float> predicted,
                                         std::span<const Criterion> criteria);

/// How far predicted ratings are off, as a table; "" if nothing is predicted.
[[nodiscard]] std::string prediction_table(const Session& session,
                                           std::span<const PredictionError> errors,
                                           std::span<const Criterion> criteria);

}  // namespace palate::cli
