#include "measuring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace palate::cli {

void refuse_fitting(const Session& session, const MethodOptions& method, const PartOptions& parts) {
  if (!method.any() && session.common.memory == 0 && !parts.rule && !parts.test_share &&
      !parts.folds) {
    return;
  }
  throw wrong_call(
      "the model is fitted already: options of the method and of the split do not apply");
}

void add_measure_options(Command& command, MeasureOptions& options) {
  command.group("Measure");
  command.add("--at", "K,K", "Lengths of the lists to judge (5,10).",
              [&options](const std::string& text) {
                options.at.clear();
                for (const std::string& word : split_list(text, ',')) {
                  options.at.push_back(parse_count("--at", word));
                  if (options.at.back() == 0) {
                    throw wrong_call("--at must be at least 1");
                  }
                }
                if (options.at.empty()) throw wrong_call("--at needs a number");
              });
  command.option("--threshold", options.threshold,
                 "Overall rating from which a test item is relevant (3).");
  command.choice("--rule", options.rule,
                 {{"at-least", Relevance::at_least},
                  {"above", Relevance::above},
                  {"above-median", Relevance::above_median},
                  {"above-user-mean", Relevance::above_user_mean}},
                 "When a test item is relevant: overall at least the threshold (the default), "
                 "above it, above the median of all, or above the user's mean.");
}

EvaluateOptions evaluate_options(const MeasureOptions& options) {
  return {.at = options.at, .threshold = options.threshold, .rule = options.rule, .weights = {}};
}

ChooseOptions choose_options(const MeasureOptions& options, std::uint64_t seed) {
  ChooseOptions out;
  out.seed = seed;
  if (options.rule == Relevance::at_least) out.threshold = options.threshold;
  return out;
}

Measured measure(Session& session, const MethodRequest& method, const Ratings& train,
                 const Ratings& test, const MeasureOptions& options, std::uint64_t seed,
                 std::optional<Choice>* cache) {
  Stages stages;
  const Clock choosing;
  Resolved settled = settle(session, method, train, choose_options(options, seed), cache);
  if (settled.choice) stages.emplace_back("choose", choosing.seconds());
  session.stage("fitting");
  Model model = fit(train, settled.method, session.run());
  const Stages fitting = model.info().seconds;
  stages.insert(stages.end(), fitting.begin(), fitting.end());
  session.stage("recommending");
  Evaluation evaluation = evaluate(model, test, evaluate_options(options), session.run());
  evaluation.name = method.name();
  stages.insert(stages.end(), evaluation.seconds.begin(), evaluation.seconds.end());
  std::erase_if(stages, [](const auto& stage) { return stage.first == "total"; });
  return {std::move(model), std::move(evaluation), std::move(settled), std::move(stages)};
}

std::string metric_table(const Session& session, const Evaluation& evaluation,
                         std::span<const std::size_t> at,
                         const std::map<std::string, double>* deviation) {
  std::vector<Table::Column> columns = {{"metric"}};
  for (const std::size_t k : at) columns.push_back({fmt::format("@{}", k), true});
  Table table(columns);
  std::vector<std::string> stems;
  for (const std::string& metric : evaluation.metrics) {
    const std::string stem = metric.substr(0, metric.find('@'));
    if (std::find(stems.begin(), stems.end(), stem) == stems.end()) stems.push_back(stem);
  }
  for (const std::string& stem : stems) {
    std::vector<std::string> cells = {stem};
    for (const std::size_t k : at) {
      const std::string name = fmt::format("{}@{}", stem, k);
      const auto mean = evaluation.mean.find(name);
      std::string cell = mean == evaluation.mean.end() ? "" : fmt::format("{:.4f}", mean->second);
      if (deviation != nullptr && deviation->contains(name)) {
        cell += fmt::format(" {} {:.4f}", session.out.utf8 ? "±" : "+-", deviation->at(name));
      }
      cells.push_back(std::move(cell));
    }
    table.row(std::move(cells));
  }
  return table.text(session.out);
}

std::string difference_table(const Session& session, std::span<const Difference> differences) {
  Table table({{"metric"},
               {"method", false, true},
               {"mean", true},
               {"difference", true},
               {"95 % interval", true},
               {"p", true}});
  std::string previous;
  for (const Difference& d : differences) {
    const bool clear = d.low > 0 || d.high < 0;
    const std::string difference = fmt::format("{:+.4f}", d.difference);
    const Tone tone = d.low > 0 ? Tone::good : Tone::bad;
    if (d.metric != previous) {
      table.row({d.metric, printable(d.baseline), fmt::format("{:.4f}", d.baseline_mean),
                 "baseline", "", ""});
      previous = d.metric;
    }
    table.row({"", printable(d.method), fmt::format("{:.4f}", d.method_mean),
               clear ? toned(session.out, tone, difference) : difference,
               fmt::format("{:+.4f} to {:+.4f}", d.low, d.high),
               d.p_value < 0.0001 ? std::string("<0.0001") : fmt::format("{:.4f}", d.p_value)});
  }
  return table.text(session.out);
}

std::string seconds_text(const Stages& stages) {
  std::vector<std::string> words;
  for (const auto& [name, seconds] : stages)
    words.push_back(fmt::format("{} {:.2f}", name, seconds));
  return "seconds: " + join(words, ", ") + "\n";
}

}  // namespace palate::cli
