// palate compare: two or more methods on the same test part, user by user.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct CompareArguments {
  DataOptions data;
  PartOptions parts;
  MeasureOptions measure;
  std::vector<std::string> methods = {"popularity", "item-knn", "overall-only", "ca-gf"};
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
  std::vector<MethodRequest> methods;
  for (const std::string& text : options.methods) methods.push_back(MethodRequest::parse(text));
  if (methods.size() < 2) {
    throw wrong_call("--methods needs at least two", "for example --methods popularity,ca-gf");
  }
  const Clock clock;
  const Loaded data = load_data(session, options.data);
  const Split parts = take_parts(session, data, options.data, options.parts);
  std::optional<Choice> choice;
  std::vector<Evaluation> evaluations;
  Json each = Json::array();
  for (std::size_t k = 0; k < methods.size(); ++k) {
    Measured measured = measure(session, methods[k], parts.train, parts.test, options.measure,
                                options.parts.seed, &choice);
    measured.evaluation.name = options.methods[k];
    Json one = {{"name", options.methods[k]}};
    one.update(to_json(measured.evaluation));
    one["settings"] = settings_json(measured.model);
    one.update(engine_json(measured.model.info()));
    one["seconds"] = to_json(measured.seconds);
    each.push_back(std::move(one));
    evaluations.push_back(std::move(measured.evaluation));
  }
  session.stage("comparing");
  const std::vector<Difference> differences = compare(evaluations, {.metrics = metrics_of(options),
                                                                    .resamples = options.resamples,
                                                                    .confidence = 0.95,
                                                                    .seed = options.parts.seed});
  if (session.json()) {
    Json list = Json::array();
    for (const Difference& difference : differences) list.push_back(to_json(difference));
    print_json(session, {{"baseline", options.methods.front()},
                         {"users", evaluations.front().users.size()},
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
            fmt::format("{} users, relevant: {}", grouped(evaluations.front().users.size()),
                        evaluations.front().relevance)) +
      "\n\n" + difference_table(session, ordered);
  text +=
      "\nDifferences to the first method, paired over users: bootstrap interval and p of the\n"
      "Wilcoxon signed-rank test.\n";
  session.print(text);
}

}  // namespace

void add_compare(Tree& tree) {
  Command& command = tree.add("compare", "Compare methods on the same test part, user by user.");
  auto& options = command.runs<CompareArguments>(run_compare);
  add_data_argument(command, options.data.path);
  command.list("--methods", options.methods, "A,B,...",
               "Methods, the first being the baseline (popularity,item-knn,overall-only,ca-gf). A "
               "method may carry options: ca-gf:mc, ca-gf:preset=ym, ca-gf:filters=outward:0.85, "
               "ca-gf:solver=fast, item-knn:neighbours=50.");
  command.list("--metrics", options.metrics, "A,B,...",
               "Metrics to compare, such as ndcg@10 (recall and ndcg of the longest list).");
  command.option("--resamples", options.resamples, "Bootstrap resamples (2000).");
  add_test_options(command, options.parts);
  add_measure_options(command, options.measure);
  command.group("Fitting");
  add_memory_option(command, tree.common);
  add_read_options(command, options.data);
  command.example("palate compare beers.csv --methods popularity,overall-only,ca-gf",
                  "What the criteria add.");
  command.example("palate compare data/YM --methods ca-gf:preset=ym,item-knn --metrics ndcg@10",
                  "Published settings against neighbours.");
  command.example("palate compare big.csv --methods ca-gf:solver=exact,ca-gf:solver=fast",
                  "What the fast solver changes.");
}

}  // namespace palate::cli
