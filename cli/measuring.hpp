// What evaluate, compare and report share: options of the measure, and tables of results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "data.hpp"
#include "palate/palate.hpp"
#include "settings.hpp"

namespace palate::cli {

struct MeasureOptions {
  std::vector<std::size_t> at = {5, 10};
  double threshold = 3.0;
  Relevance rule = Relevance::at_least;
};

/// For a model: throws if there are options of the method or of the split, as it is fitted already.
void refuse_fitting(const Session& session, const MethodOptions& method, const PartOptions& parts);

void add_measure_options(Command& command, MeasureOptions& options);
[[nodiscard]] EvaluateOptions evaluate_options(const MeasureOptions& options);
[[nodiscard]] ChooseOptions choose_options(const MeasureOptions& options, std::uint64_t seed);

/// One method, fitted on train and measured on test.
struct Measured {
  Model model;
  Evaluation evaluation;
  Resolved settled;
  Stages seconds;  ///< choose (if it was), the stages of fit, recommend, metrics
};
[[nodiscard]] Measured measure(Session& session, const MethodRequest& method, const Ratings& train,
                               const Ratings& test, const MeasureOptions& options,
                               std::uint64_t seed, std::optional<Choice>* cache = nullptr);

/// Metrics as rows, list lengths as columns.
[[nodiscard]] std::string metric_table(const Session& session, const Evaluation& evaluation,
                                       std::span<const std::size_t> at,
                                       const std::map<std::string, double>* deviation = nullptr);
[[nodiscard]] std::string difference_table(const Session& session,
                                           std::span<const Difference> differences);
/// "read 0.12 s, graph 0.40 s, ..."
[[nodiscard]] std::string seconds_text(const Stages& stages);

}  // namespace palate::cli
