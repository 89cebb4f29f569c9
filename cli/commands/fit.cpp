// palate fit: from ratings to a model file.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct FitArguments {
  DataOptions data;
  MethodOptions method;
  std::filesystem::path out;
  ChooseOptions choose;
};

void run_fit(const FitArguments& options, Session& session) {
  const MethodRequest request = options.method.request();
  refuse_other_format("--out", options.out, "a model is written in a format of its own",
                      {".palate"});
  check_choice_options(options.choose, request);
  const Clock clock;
  const double read = request.automatic() ? 0.05 : 0.3;
  const Loaded data = [&] {
    const auto part = session.part(0, read);
    return load_data(session, options.data);
  }();
  Stages stages = {{"read", data.seconds}};
  const Clock choosing;
  const double chosen = request.automatic() ? 0.9 : read;
  const Resolved settled = [&] {
    const auto part = session.part(read, chosen);
    return settle(session, request, data.ratings, until_interrupted(session, options.choose));
  }();
  if (settled.choice) stages.emplace_back("choose", choosing.seconds());
  const auto rest = session.part(chosen, 1);
  session.stage("fitting");
  const Model model = fit(data.ratings, settled, session.run());
  const Stages fitting = model.info().seconds;
  stages.insert(stages.end(), fitting.begin(), fitting.end());
  session.check_stopped();
  session.stage("writing");
  const Clock saving;
  model.save(options.out);
  stages.emplace_back("save", saving.seconds());
  stages.emplace_back("total", clock.seconds());
  const auto bytes = std::filesystem::file_size(options.out);

  if (session.json()) {
    Json document = {{"model", options.out.string()}, {"file_bytes", bytes}};
    document.update(to_json(model.info()));
    document["settings"] = settings_json(model);
    if (settled.choice) document["choice"] = server::choice_json(*settled.choice);
    document["data"] = to_json(model.ratings());
    document["import"] = to_json(data.report);
    document["seconds"] = to_json(stages);
    print_json(session, document);
    return;
  }
  std::string text;
  if (settled.choice) text += choice_text(*settled.choice);
  text += settings_text(session, model);
  if (const std::string engine = engine_text(model.info()); !engine.empty()) text += "\n" + engine;
  text += fmt::format("\nwrote {} ({:.1f} MB): {}, {}, {}\n", printable(options.out.string()),
                      static_cast<double>(bytes) / 1e6, counted(model.ratings().users(), "user"),
                      counted(model.ratings().items(), "item"),
                      counted(model.ratings().interactions(), "interaction"));
  text += toned(session.out, Tone::dim, seconds_text(stages));
  session.print(text);
}

}  // namespace

void add_fit(Tree& tree) {
  auto [command, options] =
      tree.add<FitArguments>("fit", "Fit a model to ratings and write it to a file.", run_fit);
  command.describe(
      "Without settings, those of the method adaptive are found on a validation part, and the "
      "model is fitted on all ratings. 'palate info' tells how they were found and what they "
      "give.");
  add_data_argument(command, options.data.path);
  command.option("-o,--out", options.out, "FILE", "The model file to write.", Need::required);
  add_choice_options(command, options.choose);
  add_method_options(command, options.method, tree.common);
  add_read_options(command, options.data);
  command.example("palate fit beers.csv --out beers.palate",
                  "Find settings on a validation part, then fit on everything.");
  command.example(
      "palate fit beers.csv --out b.palate --filter taste=outward:0.85 --preference off",
      "CA-GF with settings by hand.");
  command.example("palate fit big.csv --out big.palate --method ca-gf --solver fast --memory 8GB",
                  "Much data on a small machine.");
}

}  // namespace palate::cli
