// palate tune: finds settings on ratings held back, and shows the way there.
#include <fmt/format.h>

#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "measuring.hpp"
#include "settings.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct TuneArguments {
  DataOptions data;
  std::string method = "adaptive";
  ChooseOptions choose;
};

void run_tune(const TuneArguments& options, Session& session) {
  const Loaded data = [&] {
    const auto part = session.part(0, 0.05);
    return load_data(session, options.data);
  }();
  const auto rest = session.part(0.05, 1);
  const Clock clock;
  const MethodRequest request{options.method, {}};
  if (!request.automatic()) {
    throw Error(ErrorCode::usage, options.method + " has no settings that are found on ratings", {},
                "adaptive and ca-gf have");
  }
  const Resolved found =
      settle(session, request, data.ratings, until_interrupted(session, options.choose));
  const Stages stages = {{"read", data.seconds}, {"choose", clock.seconds()}};
  if (session.json()) {
    Json document = {{"settings", Json::parse(found.method.to_json())},
                     {"choice", server::choice_json(*found.choice)},
                     {"seconds", to_json(stages)}};
    print_json(session, document);
    return;
  }
  std::string text;
  if (!found.choice->too_few()) text += trials_table(session, *found.choice) + "\n";
  text += settings_text(found.method) + "\n" + choice_tables(session, *found.choice);
  session.print(text + toned(session.out, Tone::dim, seconds_text(stages)));
}

}  // namespace

void add_tune(Tree& tree) {
  auto [command, options] = tree.add<TuneArguments>(
      "tune", "Find settings on ratings held back, and show how.", run_tune);
  add_data_argument(command, options.data.path);
  command.option("--method", options.method, "adaptive|ca-gf",
                 "Whose settings: adaptive (the default) or ca-gf.");
  command.option("--validation", options.choose.validation,
                 "Share of everyone's ratings to hold back (0.1).");
  add_choice_options(command, options.choose);
  add_memory_option(command, tree.common);
  add_read_options(command, options.data);
  command.example("palate tune beers.csv", "What was tried, what it gained, what was taken.");
  command.example("palate tune beers.csv --method ca-gf --json", "The filters of CA-GF, as JSON.");
}

}  // namespace palate::cli
