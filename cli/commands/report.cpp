// palate report: everything about a data set and its model on one page.
#include "report/report.hpp"

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct ReportArguments {
  DataOptions data;
  PartOptions parts;
  MeasureOptions measure;
  MethodOptions method;
  std::filesystem::path out;
  std::string title;
  std::vector<std::string> users;
};

void write_page(const ReportArguments& options, Session& session, ReportInput input) {
  input.title = options.title.empty() ? options.data.path.filename().string() : options.title;
  if (input.title.empty()) input.title = options.data.path.parent_path().filename().string();
  for (const std::string& user : options.users) require_user(*input.ratings, user);
  input.users = options.users;
  session.stage("writing the page");
  const std::string page = report_html(input);
  AtomicFile file(options.out);
  file.write(page);
  file.commit();
  if (session.json()) {
    Json document = {{"out", options.out.string()}, {"bytes", page.size()}};
    if (!input.evaluations.empty()) document["evaluation"] = to_json(input.evaluations.front());
    print_json(session, document);
    return;
  }
  session.print(fmt::format("wrote {} ({} KB)\n", printable(options.out.string()),
                            grouped(page.size() / 1000)));
}

void report_model(const ReportArguments& options, Session& session) {
  refuse_fitting(session, options.method, options.parts);
  const Model model = load_model(session, options.data.path);
  ReportInput input;
  input.ratings = &model.ratings();
  input.model = &model;
  std::vector<Evaluation> evaluations;
  std::optional<Ratings> test;
  if (!options.parts.test.empty()) {
    require_exists(options.parts.test);
    test = read_like(model.ratings(), options.parts.test, options.data.read, session.run()).ratings;
    evaluations.push_back(evaluate(model, *test, evaluate_options(options.measure), session.run()));
    evaluations.back().name = model.info().method;
    input.test = &*test;
    input.evaluations = evaluations;
  }
  write_page(options, session, std::move(input));
}

void report_data(const ReportArguments& options, Session& session) {
  const MethodRequest request = options.method.request();
  const Loaded data = load_data(session, options.data);
  const Split parts = take_parts(session, data, options.data, options.parts);
  std::vector<Evaluation> evaluations;
  Measured main =
      measure(session, request, parts.train, parts.test, options.measure, options.parts.seed);
  evaluations.push_back(main.evaluation);
  for (const std::string name : {"popularity", "item-knn", "overall-only"}) {
    if (request.name() == name) continue;
    evaluations.push_back(measure(session, {.method = name}, parts.train, parts.test,
                                  options.measure, options.parts.seed)
                              .evaluation);
  }
  session.stage("comparing");
  const std::vector<Difference> differences =
      compare(evaluations, {.metrics = {}, .resamples = 2000, .confidence = 0.95, .seed = 1});
  ReportInput input;
  input.ratings = &parts.train;
  input.test = &parts.test;
  input.model = &main.model;
  input.import = &data.report;
  input.choice = main.settled.choice ? &*main.settled.choice : nullptr;
  input.evaluations = evaluations;
  input.differences = differences;
  write_page(options, session, std::move(input));
}

void run_report(const ReportArguments& options, Session& session) {
  if (is_model(options.data.path)) {
    report_model(options, session);
  } else {
    report_data(options, session);
  }
}

}  // namespace

void add_report(Tree& tree) {
  Command& command = tree.add("report", "Write one HTML page about data, model and quality.");
  auto& options = command.runs<ReportArguments>(run_report);
  command.describe(
      "Of ratings: splits them, chooses filters, fits, and compares with popularity, item-knn and "
      "overall-only. Of a model: shows it as it is, with its quality if --test is given.");
  add_data_or_model_argument(command, options.data.path);
  command.option("-o,--out", options.out, "FILE", "The page to write (.html).", Need::required);
  command.option("--title", options.title, "TEXT", "Title of the page.");
  command.repeatable("--user", options.users, "ID", "Someone to show on the page.");
  add_test_options(command, options.parts);
  add_measure_options(command, options.measure);
  add_method_options(command, options.method);
  add_memory_option(command, tree.common);
  add_read_options(command, options.data);
  command.example("palate report beers.csv --out beers.html --title Beers",
                  "Everything on one page that needs no network.");
}

}  // namespace palate::cli
