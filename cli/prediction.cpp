#include "prediction.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text.hpp"

namespace palate::cli {

std::string predicted_text(std::span<const float> predicted, std::span<const Criterion> criteria) {
  std::vector<std::string> words;
  for (std::size_t c = 0; c < predicted.size(); ++c) {
    if (std::isnan(predicted[c])) continue;
    words.push_back(printable(criteria[c].name) + " " + rating_text(predicted[c], criteria[c]));
  }
  return join(words, ", ");
}

std::string prediction_table(const Session& session, std::span<const PredictionError> errors,
                             std::span<const Criterion> criteria) {
  if (errors.empty()) return {};
  Table table({{"predicted ratings", false, true},
               {"off by", true},
               {"plain guess", true},
               {"ratings", true}});
  for (const PredictionError& error : errors) {
    table.row({printable(criteria[error.criterion].name), fmt::format("{:.3f}", error.mae),
               fmt::format("{:.3f}", error.trivial_mae), grouped(error.ratings)});
  }
  return table.text(session.out);
}

}  // namespace palate::cli
