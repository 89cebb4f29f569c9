// What evaluate, compare and report share: options of the measure, and tables of results.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "data.hpp"
#include "json.hpp"
#include "palate/palate.hpp"
#include "settings.hpp"

namespace palate::cli {

struct MeasureOptions {
  std::vector<std::size_t> at = {5, 10};
  std::optional<double> threshold;  ///< none: usual_threshold() of the data
  Relevance rule = Relevance::at_least;
};

/// For a model: throws if there are options of the method or of the split, as it is fitted already.
void refuse_fitting(const Session& session, const MethodOptions& method, const PartOptions& parts);

void add_measure_options(Command& command, MeasureOptions& options);
[[nodiscard]] EvaluateOptions evaluate_options(const MeasureOptions& options);
/// By the same threshold, unless the rule is another.
[[nodiscard]] ChooseOptions choose_options(const MeasureOptions& options, std::uint64_t seed);

/// --threshold alone, for commands that choose settings and measure nothing else.
void add_choice_threshold(Command& command, std::optional<double>& threshold);
/// --seed, --seconds and --threshold, for commands that choose settings and keep them.
void add_choice_options(Command& command, ChooseOptions& options);
/// Throws where there is a threshold or a time and nothing to choose by it.
void check_choice_options(const ChooseOptions& options, const MethodRequest& request);

/// The parts to fit and to measure on; or why nothing can be measured (palate::enough_users).
struct MeasurableParts {
  std::optional<Split> parts = {};
  std::string too_few = {};  ///< in words, where there are no parts
  std::size_t users = 0;     ///< who could be judged
  std::string relevance = {};
};
[[nodiscard]] MeasurableParts take_measurable(Session& session, const Loaded& data,
                                              const DataOptions& source, const PartOptions& options,
                                              const MeasureOptions& measure);
/// The same for parts that are there.
[[nodiscard]] MeasurableParts if_measurable(Split parts, const MeasureOptions& measure);
/// Says that nothing is measured: to a person, or as JSON.
void print_too_few(Session& session, const MeasurableParts& parts);
[[nodiscard]] Json too_few_json(const MeasurableParts& parts);
/// The parts that a command measures on; nothing, and a word about it, where they are too few.
template <class Arguments>
[[nodiscard]] std::optional<Split> parts_or_word(Session& session, const Loaded& data,
                                                 const Arguments& options) {
  MeasurableParts can =
      take_measurable(session, data, options.data, options.parts, options.measure);
  if (!can.parts) print_too_few(session, can);
  return std::move(can.parts);
}

/// For each method its part of the progress bar: to choose settings takes longer than all else.
[[nodiscard]] std::vector<std::pair<double, double>> bar_parts(
    std::span<const MethodRequest> methods);

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

/// The same for a method that nobody asked for: none, with a remark, if it does not fit the memory.
[[nodiscard]] std::optional<Measured> measure_if_it_fits(
    Session& session, const MethodRequest& method, const Ratings& train, const Ratings& test,
    const MeasureOptions& options, std::uint64_t seed, std::optional<Choice>* cache = nullptr);

/// Metrics as rows, list lengths as columns.
[[nodiscard]] std::string metric_table(const Session& session, const Evaluation& evaluation,
                                       std::span<const std::size_t> at,
                                       const std::map<std::string, double>* deviation = nullptr);
[[nodiscard]] std::string difference_table(const Session& session,
                                           std::span<const Difference> differences);
/// "read 0.12 s, graph 0.40 s, ..."
[[nodiscard]] std::string seconds_text(const Stages& stages);

}  // namespace palate::cli
