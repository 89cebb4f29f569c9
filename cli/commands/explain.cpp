// palate explain: what the score of one item for one person is made of.
#include <fmt/format.h>

#include "asking.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "prediction.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct ExplainArguments {
  std::filesystem::path model, profile;
  std::optional<std::string> user;
  std::string item;
  WeightOptions weights;
  std::size_t parts = 10;
};

Explanation ask(const ExplainArguments& options, const Model& model) {
  if (options.user.has_value() == !options.profile.empty()) {
    throw wrong_call("say for whom: either --user ID or --profile FILE");
  }
  require_item(model.ratings(), options.item);
  RecommendOptions how;
  options.weights.into(how, model.ratings());
  if (!options.user) {
    return model.explain_for(read_profile(options.profile, model.ratings()), options.item, how);
  }
  require_user(model.ratings(), *options.user);
  return model.explain(*options.user, options.item, how);
}

void run_explain(const ExplainArguments& options, Session& session) {
  const Model model = load_model(session, options.model);
  const Explanation why = ask(options, model);
  if (session.json()) {
    print_json(session, to_json(why, model.criteria()));
    return;
  }
  const std::string whom = options.user ? printable(*options.user) : std::string("this profile");
  std::string text = toned(session.out, Tone::bold,
                           fmt::format("{} for {}: match {}", named(why.item, why.title), whom,
                                       match_text(why.match))) +
                     "\n\n";
  const std::string predicted = predicted_text(why.predicted, model.criteria());
  if (!predicted.empty()) {
    for (const std::string& line :
         wrap("Predicted ratings: " + predicted + ".", session.out.width)) {
      text += line + "\n";
    }
    text += "\n";
  }
  if (why.basis == Basis::popularity) {
    text +=
        fmt::format("{} has no ratings: the list goes by how many people rated an item.\n", whom);
    session.print(text);
    return;
  }
  if (why.score == 0) {
    text += "No link leads from the ratings to this item.\n";
    session.print(text);
    return;
  }
  text += criterion_bars(session, why, "  ") + dial_lines(session, why, "  ") +
          note_lines(session, why, "  ") + "\n" + part_table(session, why, options.parts);
  session.print(text);
}

}  // namespace

void add_explain(Tree& tree) {
  auto [command, options] = tree.add<ExplainArguments>(
      "explain", "Show what the score of an item for a user is made of.", run_explain);
  add_model_argument(command, options.model);
  command.option("--item", options.item, "ID", "The item.", Need::required);
  command.option("--user", options.user, "ID", "The user.");
  add_profile_option(command, options.profile);
  add_weight_options(command, options.weights);
  command.option("--parts", options.parts, "How many rated items to list (10).");
  command.example("palate explain beers.palate --user ann --item b17",
                  "Bars by criterion, and the rated items behind them.");
}

}  // namespace palate::cli
