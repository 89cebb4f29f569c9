#include "measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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
                 "Overall rating from which an item is relevant, in the test part and where "
                 "settings are chosen. By default 3 on a scale of five stars, else the middle of "
                 "the scale.");
  command.choice("--rule", options.rule,
                 {{"at-least", Relevance::at_least},
                  {"above", Relevance::above},
                  {"above-median", Relevance::above_median},
                  {"above-user-mean", Relevance::above_user_mean}},
                 "When a test item is relevant: overall at least the threshold (the default), "
                 "above it, above the median of all, or above the user's mean.");
}

void add_choice_threshold(Command& command, std::optional<double>& threshold) {
  command.option("--threshold", threshold,
                 "Overall rating from which an item counts as liked where settings are chosen. By "
                 "default 3 on a scale of five stars, else the middle of the scale.");
}

void add_choice_options(Command& command, ChooseOptions& options) {
  command.option("--seed", options.seed, "Seed of what is held back to choose settings on (1).");
  command.option(
      "--seconds", options.seconds,
      "Begin no new trial after so many seconds, and take the best so far; 0: no limit.");
  add_choice_threshold(command, options.threshold);
}

void check_choice_options(const ChooseOptions& options, const MethodRequest& request) {
  if (request.automatic()) return;
  for (const auto& [given, name, what] :
       {std::tuple{options.threshold.has_value(), "--threshold", "what is liked where"},
        std::tuple{options.seconds > 0, "--seconds", "for how long"}}) {
    if (!given) continue;
    throw wrong_call(fmt::format("{} says {} settings are chosen, and none are here", name, what),
                     "leave it out, or leave out the settings");
  }
}

EvaluateOptions evaluate_options(const MeasureOptions& options) {
  return {.at = options.at, .threshold = options.threshold, .rule = options.rule, .weights = {}};
}

MeasurableParts if_measurable(Split parts, const MeasureOptions& measure) {
  const EvaluateOptions options = evaluate_options(measure);
  MeasurableParts out;
  out.users = judged_users(parts.train, parts.test, options).size();
  out.relevance = relevance_text(parts.train, options);
  std::size_t tested = 0;
  for (std::uint32_t u = 0; u < parts.test.users(); ++u) tested += parts.test.of(u).size() > 0;
  // Where many were tested and none of them liked anything, evaluate() says what to do about it.
  if (out.users >= enough_users || (out.users == 0 && tested >= enough_users)) {
    out.parts = std::move(parts);
    return out;
  }
  out.too_few =
      fmt::format("{} a relevant item in the test part ({}), and at least {} are needed",
                  counted(out.users, "user has", "users have"), out.relevance, enough_users);
  return out;
}

MeasurableParts take_measurable(Session& session, const Loaded& data, const DataOptions& source,
                                const PartOptions& options, const MeasureOptions& measure) {
  const bool to_be_split = !data.test && options.test.empty();
  if (!to_be_split || data.ratings.users() >= enough_users) {
    return if_measurable(take_parts(session, data, source, options), measure);
  }
  static_cast<void>(split_options(options));
  MeasurableParts out;
  out.relevance = relevance_text(data.ratings, evaluate_options(measure));
  out.too_few = fmt::format("the data has {}, and at least {} are needed",
                            counted(data.ratings.users(), "user"), enough_users);
  return out;
}

Json too_few_json(const MeasurableParts& parts) {
  return {{"too_few", true},
          {"why", parts.too_few},
          {"users", parts.users},
          {"users_needed", enough_users},
          {"relevance", parts.relevance}};
}

void print_too_few(Session& session, const MeasurableParts& parts) {
  if (session.json()) {
    print_json(session, too_few_json(parts));
  } else {
    session.print(fmt::format("too few to measure: {}\n", printable(parts.too_few)));
  }
}

std::vector<std::pair<double, double>> bar_parts(std::span<const MethodRequest> methods) {
  constexpr double choosing = 8;
  std::vector<double> ends = {0};
  for (const MethodRequest& method : methods) {
    ends.push_back(ends.back() + (method.automatic() ? choosing : 1));
  }
  std::vector<std::pair<double, double>> out;
  for (std::size_t k = 1; k < ends.size(); ++k) {
    out.emplace_back(ends[k - 1] / ends.back(), ends[k] / ends.back());
  }
  return out;
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
  const double chosen = method.automatic() ? 0.85 : 0;
  const double fitted = (2 * chosen + 1) / 3;
  Resolved settled = [&] {
    const auto part = session.part(0, chosen);
    return settle(session, method, train, choose_options(options, seed), cache);
  }();
  if (settled.choice) stages.emplace_back("choose", choosing.seconds());
  Model model = [&] {
    const auto part = session.part(chosen, fitted);
    session.stage("fitting");
    return fit(train, settled, session.run());
  }();
  const Stages fitting = model.info().seconds;
  stages.insert(stages.end(), fitting.begin(), fitting.end());
  const auto part = session.part(fitted, 1);
  session.stage("recommending");
  Evaluation evaluation = evaluate(model, test, evaluate_options(options), session.run());
  evaluation.name = method.name();
  stages.insert(stages.end(), evaluation.seconds.begin(), evaluation.seconds.end());
  std::erase_if(stages, [](const auto& stage) { return stage.first == "total"; });
  return {std::move(model), std::move(evaluation), std::move(settled), std::move(stages)};
}

std::optional<Measured> measure_if_it_fits(Session& session, const MethodRequest& method,
                                           const Ratings& train, const Ratings& test,
                                           const MeasureOptions& options, std::uint64_t seed,
                                           std::optional<Choice>* cache) {
  try {
    return measure(session, method, train, test, options, seed, cache);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    session.note(fmt::format("{} is left out: {}\n", method.name(), error.message()));
    return std::nullopt;
  }
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
