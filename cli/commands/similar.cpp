// palate similar: items near to one.
#include <fmt/format.h>

#include "asking.hpp"
#include "commands.hpp"
#include "data.hpp"
#include "json.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

struct SimilarArguments {
  std::filesystem::path model;
  std::string item;
  std::size_t top = 10;
};

void run_similar(const SimilarArguments& options, Session& session) {
  const Model model = load_model(session, options.model);
  const std::uint32_t item = require_item(model.ratings(), options.item);
  const std::vector<Recommended> items = model.similar(options.item, options.top);
  const std::string_view title = model.ratings().item_title(item);
  if (session.json()) {
    Json list = Json::array();
    for (std::size_t k = 0; k < items.size(); ++k) {
      list.push_back({{"rank", k + 1},
                      {"item", items[k].item},
                      {"title", items[k].title},
                      {"score", decimal(items[k].score)}});
    }
    print_json(session, {{"item", options.item}, {"title", title}, {"items", std::move(list)}});
    return;
  }
  if (items.empty()) {
    session.print(fmt::format("nothing is linked to {}\n", named(options.item, title)));
    return;
  }
  const bool titles = model.ratings().has_titles();
  Table table({{"#", true},
               {"item", false, true},
               {titles ? "title" : "", false, true},
               {"similarity", true},
               {""}});
  const double largest = items.front().score;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const double share = largest > 0 ? items[k].score / largest : 0;
    table.row({std::to_string(k + 1), printable(items[k].item),
               titles ? printable(items[k].title) : "", score_text(items[k].score, largest),
               bar(session.out, share, session.out.width >= 60 ? 20 : 6, 0)});
  }
  session.print(toned(session.out, Tone::bold, "Similar to " + named(options.item, title)) +
                "\n\n" + table.text(session.out));
}

}  // namespace

void add_similar(Tree& tree) {
  auto [command, options] =
      tree.add<SimilarArguments>("similar", "Show the items most similar to one.", run_similar);
  add_model_argument(command, options.model);
  command.option("--item", options.item, "ID", "The item.", Need::required);
  command.option("-n,--top", options.top, "How many (10).");
  command.example("palate similar beers.palate --item b17 --top 5", "Five neighbours of b17.");
}

}  // namespace palate::cli
