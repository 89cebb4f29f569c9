// palate compare: two or more methods on the same test part, user by user.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

const std::vector<std::string> usual_methods = {"popularity", "item-knn", "ease", "adaptive"};

struct CompareArguments {
  DataOptions data;
  PartOptions parts;
  MeasureOptions measure;
  std::vector<std::string> methods;  ///< none: usual_methods
  std::vector<std::string> metrics;
  std::size_t resamples = 2000;
};

// By default what most people look at, at the longest list.
std::vector<std::string> metrics_of(const CompareArguments& options) {
  if (!options.metrics.empty()) return options.metrics;
  const std::size_t k = *std::max_element(options.measure.at.begin(), options.measure.at.end());
  return {fmt::format("recall@{}", k), fmt::format("ndcg@{}", k)};
}

void run_compare(const CompareArguments& options, Session& session) {
  const bool asked_for = !options.methods.empty();
  std::vector<MethodRequest> methods;
  for (const std::string& text : asked_for ? options.methods : usual_methods) {
    methods.push_back(MethodRequest::parse(text));
  }
  if (methods.size() < 2) {
    throw wrong_call("--methods needs at least two", "for example --methods popularity,adaptive");
  }
  const Clock clock;
  const Loaded data = [&] {
    const auto part = session.part(0, 0.05);
    return load_data(session, options.data);
  }();
  const std::optional<Split> can = parts_or_word(session, data, options);
  if (!can) return;
  const Split& parts = *can;
  const auto rest = session.part(0.05, 1);
  const auto shares = bar_parts(methods);
  std::map<std::string, std::optional<Choice>> choices;  // by method
  std::vector<Evaluation> evaluations;
  Json each = Json::array();
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const std::string name = asked_for ? options.methods[k] : methods[k].method;
    const auto by = [&](const auto& way) -> std::optional<Measured> {
      return way(session, methods[k], parts.train, parts.test, options.measure, options.parts.seed,
                 &choices[methods[k].method]);
    };
    const auto part = session.part(shares[k].first, shares[k].second);
    // Of the usual methods the last is what the others are there for.
    const bool needed = asked_for || k + 1 == methods.size();
    std::optional<Measured> measured = needed ? by(measure) : by(measure_if_it_fits);
    if (!measured) continue;
    measured->evaluation.name = name;
    Json one = {{"name", name}};
    one.update(to_json(measured->evaluation));
    one["settings"] = settings_json(measured->model);
    if (measured->settled.choice) one["choice"] = server::choice_json(*measured->settled.choice);
    one.update(engine_json(measured->model.info()));
    one["seconds"] = to_json(measured->seconds);
    each.push_back(std::move(one));
    evaluations.push_back(std::move(measured->evaluation));
  }
  session.stage("comparing");
  const std::vector<Difference> differences = compare(evaluations, {.metrics = metrics_of(options),
                                                                    .resamples = options.resamples,
                                                                    .confidence = 0.95,
                                                                    .seed = options.parts.seed});
  if (session.json()) {
    Json list = Json::array();
    for (const Difference& difference : differences) list.push_back(to_json(difference));
    print_json(session, {{"baseline", evaluations.front().name},
                         {"users", evaluations.front().users.size()},
                         {"too_few", false},
                         {"relevance", evaluations.front().relevance},
                         {"methods", std::move(each)},
                         {"differences", std::move(list)},
                         {"seconds", {{"read", data.seconds}, {"total", clock.seconds()}}}});
    return;
  }
  std::vector<Difference> ordered;
  for (const std::string& metric : metrics_of(options)) {
    for (const Difference& d : differences) {
      if (d.metric == metric) ordered.push_back(d);
    }
  }
  std::string text =
      toned(session.out, Tone::bold,
            fmt::format("{}, relevant: {}", counted(evaluations.front().users.size(), "user"),
                        evaluations.front().relevance)) +
      "\n\n" + difference_table(session, ordered);
  text +=
      "\nDifferences to the first method, paired over users: bootstrap interval and p of the\n"
      "Wilcoxon signed-rank test.\n";
  session.print(text);
}

}  // namespace

void add_compare(Tree& tree) {
  auto [command, options] = tree.add<CompareArguments>(
      "compare", "Compare methods on the same test part, user by user.", run_compare);
  command.describe(
      "Every method is fitted on the same train part and compared with the first, paired over "
      "users.");
  add_data_argument(command, options.data.path);
  command.list(
      "--methods", options.methods, "A,B,...",
      "Methods, the first being the baseline (popularity,item-knn,ease,adaptive). A method "
      "may carry options: ease:lambda=200, ca-gf:mc, ca-gf:preset=ym, "
      "ca-gf:filters=outward:0.85, item-knn:neighbours=50.");
  command.list("--metrics", options.metrics, "A,B,...",
               "Metrics to compare, such as ndcg@10 (recall and ndcg of the longest list).");
  command.option("--resamples", options.resamples, "Bootstrap resamples (2000).");
  add_test_options(command, options.parts);
  add_measure_options(command, options.measure);
  command.group("Fitting");
  add_memory_option(command, tree.common);
  add_read_options(command, options.data);
  command.example("palate compare beers.csv", "Is the default better than something simple?");
  command.example("palate compare data/YM --methods ca-gf:preset=ym,adaptive --metrics ndcg@10",
                  "Published settings of CA-GF against what is found on the data.");
}

}  // namespace palate::cli
