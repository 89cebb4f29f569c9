// palate evaluate: how good the recommendations are, on ratings that the model has not seen.
#include <fmt/format.h>

#include <cmath>

#include "base/atomic_file.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "prediction.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct EvaluateArguments {
  DataOptions data;
  PartOptions parts;
  MeasureOptions measure;
  MethodOptions method;
  std::filesystem::path per_user;
};

void write_per_user(const Evaluation& evaluation, const Ratings& ratings,
                    const std::filesystem::path& path) {
  AtomicFile file(path);
  std::string line = "user";
  for (std::size_t m = 0; m < evaluation.metrics.size(); ++m) {
    if (!evaluation.per_user[m].empty()) line += "," + evaluation.metrics[m];
  }
  file.write(line + "\n");
  for (std::size_t k = 0; k < evaluation.users.size(); ++k) {
    line = csv_field(ratings.user_id(evaluation.users[k]));
    for (const std::vector<float>& values : evaluation.per_user) {
      if (!values.empty()) line += fmt::format(",{}", values[k]);
    }
    file.write(line + "\n");
  }
  file.commit();
}

// What a result says about itself, whichever way it came about.
void print_result(Session& session, const EvaluateArguments& options, const Model& model,
                  const Ratings& test, const Evaluation& evaluation,
                  const std::optional<Choice>& choice, const Stages& stages,
                  const std::string& name) {
  if (!options.per_user.empty()) write_per_user(evaluation, model.ratings(), options.per_user);
  const ModelInfo info = model.info();
  const std::vector<PredictionError> errors = measure_predictions(model, test);
  if (session.json()) {
    Json document = to_json(evaluation);
    document["prediction"] = server::prediction_json(errors, model.criteria());
    document["method"] = info.method;
    document["variant"] = info.variant;
    document["settings"] = settings_json(model);
    if (choice) document["choice"] = server::choice_json(*choice);
    document["data"] = {{"users", model.ratings().users()},
                        {"items", model.ratings().items()},
                        {"train_interactions", model.ratings().interactions()}};
    document.update(engine_json(info));
    document["seconds"] = to_json(stages);
    print_json(session, document);
    return;
  }
  std::string text;
  if (choice) text += choice_text(*choice) + settings_text(session, model) + "\n";
  text += toned(session.out, Tone::bold,
                fmt::format("{}: {}, relevant: {}", name, counted(evaluation.users.size(), "user"),
                            evaluation.relevance)) +
          "\n\n";
  text += metric_table(session, evaluation, options.measure.at) + "\n";
  if (!errors.empty()) text += prediction_table(session, errors, model.criteria()) + "\n";
  text += toned(session.out, Tone::dim, engine_text(info) + seconds_text(stages));
  session.print(text);
}

void evaluate_model(const EvaluateArguments& options, Session& session) {
  if (options.parts.test.empty()) {
    throw wrong_call("a model needs --test FILE with ratings it has not seen",
                     "to split a ratings file and measure on it, give that file instead");
  }
  refuse_fitting(session, options.method, options.parts);
  const Clock clock;
  const Model model = load_model(session, options.data.path);
  Stages stages = {{"read", clock.seconds()}};
  const Import import = load_test(session, model.ratings(), options.data, options.parts.test);
  stages.front().second = clock.seconds();
  const MeasurableParts parts =
      if_measurable({model.ratings(), import.ratings, std::nullopt}, options.measure);
  if (!parts.parts) {
    print_too_few(session, parts);
    return;
  }
  Evaluation evaluation =
      evaluate(model, import.ratings, evaluate_options(options.measure), session.run());
  stages.insert(stages.end(), evaluation.seconds.begin(), evaluation.seconds.end());
  stages.emplace_back("total", clock.seconds());
  print_result(session, options, model, import.ratings, evaluation, std::nullopt, stages,
               model.info().method);
}

void evaluate_folds(const EvaluateArguments& options, Session& session, const Loaded& data,
                    const Clock& clock) {
  if (data.test || !options.parts.test.empty() || options.parts.rule || options.parts.test_share ||
      !options.per_user.empty()) {
    throw wrong_call(
        "--folds splits by itself, and does not go with a test part, --split or --per-user");
  }
  std::vector<Evaluation> all;
  Json each = Json::array();
  const std::vector<Split> splits = folds(data.ratings, *options.parts.folds, options.parts.seed);
  const std::vector<MethodRequest> requests(splits.size(), options.method.request());
  const auto shares = bar_parts(requests);
  for (const Split& parts : splits) {
    if (const MeasurableParts can = if_measurable(parts, options.measure); !can.parts) {
      print_too_few(session, can);
      return;
    }
    const auto part = session.part(shares[all.size()].first, shares[all.size()].second);
    Measured measured = measure(session, requests.front(), parts.train, parts.test, options.measure,
                                options.parts.seed);
    Json one = to_json(measured.evaluation);
    one["settings"] = settings_json(measured.model);
    one.update(engine_json(measured.model.info()));
    each.push_back(std::move(one));
    all.push_back(std::move(measured.evaluation));
  }
  Evaluation mean = all.front();
  std::map<std::string, double> deviation;
  for (auto& [metric, value] : mean.mean) {
    const auto count = static_cast<double>(all.size());
    double sum = 0;
    double squares = 0;
    for (const Evaluation& evaluation : all) sum += evaluation.mean.at(metric);
    value = sum / count;
    for (const Evaluation& e : all) squares += std::pow(e.mean.at(metric) - value, 2);
    deviation[metric] = all.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  }
  if (session.json()) {
    Json document = to_json(mean);
    Json users = Json::array();
    Json spread = Json::object();
    for (const Evaluation& evaluation : all) users.push_back(evaluation.users.size());
    for (const std::string& metric : mean.metrics) spread[metric] = deviation[metric];
    document["users"] = std::move(users);
    document["standard_deviation"] = std::move(spread);
    document["method"] = mean.name;
    document["folds"] = std::move(each);
    document["seconds"] = {{"read", data.seconds}, {"total", clock.seconds()}};
    print_json(session, document);
    return;
  }
  session.print(toned(session.out, Tone::bold,
                      fmt::format("{}: mean and standard deviation over {}, relevant: {}",
                                  mean.name, counted(all.size(), "fold"), mean.relevance)) +
                "\n\n" + metric_table(session, mean, options.measure.at, &deviation));
}

void run_evaluate(const EvaluateArguments& options, Session& session) {
  if (is_model(options.data.path)) {
    evaluate_model(options, session);
    return;
  }
  const MethodRequest request = options.method.request();
  const Clock clock;
  if (!options.per_user.empty()) {
    refuse_other_format("--per-user", options.per_user, "the metrics of each user are CSV",
                        {".csv", ".txt"});
  }
  const Loaded data = [&] {
    const auto part = session.part(0, 0.05);
    return load_data(session, options.data);
  }();
  const auto rest = session.part(0.05, 1);
  if (options.parts.folds) {
    evaluate_folds(options, session, data, clock);
    return;
  }
  const std::optional<Split> can = parts_or_word(session, data, options);
  if (!can) return;
  const Split& parts = *can;
  Stages stages = {{"read", clock.seconds()}};
  const Measured measured =
      measure(session, request, parts.train, parts.test, options.measure, options.parts.seed);
  stages.insert(stages.end(), measured.seconds.begin(), measured.seconds.end());
  stages.emplace_back("total", clock.seconds());
  print_result(session, options, measured.model, parts.test, measured.evaluation,
               measured.settled.choice, stages, request.name());
}

}  // namespace

void add_evaluate(Tree& tree) {
  auto [command, options] = tree.add<EvaluateArguments>(
      "evaluate", "Measure how good the recommendations are.", run_evaluate);
  command.describe(
      "Fits on the train part and judges lists on the test part: that of the folder, of --test, or "
      "a split of the file. A model is judged on --test.");
  add_data_or_model_argument(command, options.data.path);
  add_test_options(command, options.parts);
  command.option("--folds", options.parts.folds,
                 "Instead of one split: mean and standard deviation over so many folds.");
  add_measure_options(command, options.measure);
  command.option("--per-user", options.per_user, "FILE", "Write the metrics of each user as CSV.");
  add_method_options(command, options.method, tree.common);
  add_read_options(command, options.data);
  command.example("palate evaluate beers.csv", "Split, find settings on train, fit, measure.");
  command.example("palate evaluate data/YM --preset ym --json",
                  "CA-GF with published settings on a published split, for a machine.");
}

}  // namespace palate::cli
