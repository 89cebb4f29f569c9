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
    Json document = {
        {"out", options.out.string()}, {"bytes", page.size()}, {"too_few", !input.too_few.empty()}};
    if (!input.evaluations.empty()) document["evaluation"] = to_json(input.evaluations.front());
    print_json(session, document);
    return;
  }
  if (!input.too_few.empty()) {
    session.note(fmt::format("too few to measure: {}\n", printable(input.too_few)));
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
    test = load_test(session, model.ratings(), options.data, options.parts.test).ratings;
    const MeasurableParts can =
        if_measurable({model.ratings(), *test, std::nullopt}, options.measure);
    input.too_few = can.too_few;
    if (can.parts) {
      evaluations.push_back(
          evaluate(model, *test, evaluate_options(options.measure), session.run()));
      evaluations.back().name = model.info().method;
    }
    input.test = &*test;
    input.evaluations = evaluations;
  }
  write_page(options, session, std::move(input));
}

// Of too few people to measure anything on: what there is to see of a model of all ratings.
void report_unmeasured(const ReportArguments& options, Session& session, const Loaded& data,
                       const MeasurableParts& why) {
  const ChooseOptions choose = choose_options(options.measure, options.parts.seed);
  const Model model = fit(
      data.ratings, settle(session, options.method.request(), data.ratings, choose), session.run());
  ReportInput input;
  input.ratings = &data.ratings;
  input.model = &model;
  input.import = &data.report;
  input.too_few = why.too_few;
  write_page(options, session, std::move(input));
}

void report_data(const ReportArguments& options, Session& session) {
  const MethodRequest request = options.method.request();
  const Loaded data = [&] {
    const auto part = session.part(0, 0.05);
    return load_data(session, options.data);
  }();
  const MeasurableParts can =
      take_measurable(session, data, options.data, options.parts, options.measure);
  const auto rest = session.part(0.05, 0.95);
  if (!can.parts) {
    report_unmeasured(options, session, data, can);
    return;
  }
  const Split& parts = *can.parts;
  std::vector<MethodRequest> methods = {request};
  for (const std::string name : {"popularity", "item-knn", "ease"}) {
    if (request.name() != name) methods.push_back({.method = name});
  }
  const auto shares = bar_parts(methods);
  const auto by = [&](std::size_t k, const auto& way) {
    const auto part = session.part(shares[k].first, shares[k].second);
    return way(session, methods[k], parts.train, parts.test, options.measure, options.parts.seed,
               nullptr);
  };
  const Measured main = by(0, measure);
  std::vector<Evaluation> evaluations = {main.evaluation};
  for (std::size_t k = 1; k < methods.size(); ++k) {
    std::optional<Measured> other = by(k, measure_if_it_fits);
    if (other) evaluations.push_back(std::move(other->evaluation));
  }
  session.stage("comparing");
  const std::vector<Difference> differences =
      compare(evaluations, {.metrics = {}, .resamples = 2000, .confidence = 0.95, .seed = 1});
  DialReport dials;
  if (parts.train.criteria().size() > 1) {
    session.stage("measuring dials");
    dials = measure_dials(main.model, parts.test, evaluate_options(options.measure), session.run());
  }
  ReportInput input;
  input.ratings = &parts.train;
  input.test = &parts.test;
  input.model = &main.model;
  input.dials = &dials;
  input.import = &data.report;
  input.evaluations = evaluations;
  input.differences = differences;
  write_page(options, session, std::move(input));
}

void run_report(const ReportArguments& options, Session& session) {
  refuse_other_format("--out", options.out, "a report is an HTML page", {".html", ".htm"});
  if (is_model(options.data.path)) {
    report_model(options, session);
  } else {
    report_data(options, session);
  }
}

}  // namespace

void add_report(Tree& tree) {
  auto [command, options] = tree.add<ReportArguments>(
      "report", "Write one HTML page about data, model and quality.", run_report);
  command.describe(
      "Of ratings: splits them, finds settings, fits, and compares with popularity, item-knn and "
      "ease. Of a model: shows it as it is, with its quality if --test is given.");
  add_data_or_model_argument(command, options.data.path);
  command.option("-o,--out", options.out, "FILE", "The page to write (.html).", Need::required);
  command.option("--title", options.title, "TEXT", "Title of the page.");
  command.repeatable("--user", options.users, "ID", "Someone to show on the page.");
  add_test_options(command, options.parts);
  add_measure_options(command, options.measure);
  add_method_options(command, options.method, tree.common);
  add_read_options(command, options.data);
  command.example("palate report beers.csv --out beers.html --title Beers",
                  "Everything on one page that needs no network.");
}

}  // namespace palate::cli
