#include "recommend_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "asking.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

std::string heading(const Session& session, const Asking& asking, const Recommendations& list) {
  std::string text = asking.profile ? std::string("For this profile")
                                    : fmt::format("For {}", printable(list.user));
  std::vector<std::string> weights;
  for (const auto& [criterion, weight] : asking.options.weights) {
    weights.push_back(fmt::format("{} x {:g}", printable(criterion), weight));
  }
  if (!weights.empty()) text += fmt::format(", with {}", join(weights, ", "));
  text = toned(session.out, Tone::bold, text) + "\n";
  if (list.basis == Basis::popularity) {
    text += "No ratings are known, so the list is by popularity.\n";
  }
  return text + "\n";
}

double largest_bar(const std::vector<std::vector<double>>& parts) {
  double largest = 0;
  for (const auto& row : parts) {
    double positive = 0;
    for (const double value : row) positive += std::max(0.0, value);
    largest = std::max(largest, positive);
  }
  return largest;
}

// "because of A, B and C": the rated items that add most.
std::string because(const Explanation& why) {
  std::vector<std::string> names;
  for (const Explanation::Part& part : why.parts) {
    const std::string name = named(part.item, part.title);
    if (part.value <= 0 || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    if (names.size() == 3) break;
  }
  return names.empty() ? "" : "because of " + join(names, "; ");
}

}  // namespace

std::vector<std::vector<double>> Asking::attributions(const Recommendations& list) const {
  std::vector<std::string> items;
  for (const Recommended& item : list.items) items.push_back(item.item);
  if (!profile) return model.attributions(list.user, items, options);
  std::vector<std::vector<double>> out;
  for (const std::string& item : items) {
    out.push_back(model.explain_for(*profile, item, options).by_criterion);
  }
  return out;
}

Explanation Asking::explain(const Recommendations& list, const std::string& item) const {
  return profile ? model.explain_for(*profile, item, options)
                 : model.explain(list.user, item, options);
}

std::string list_text(const Session& session, const Asking& asking, const Recommendations& list,
                      bool explain) {
  std::string text = heading(session, asking, list);
  if (list.items.empty()) return text + "Nothing is left to recommend.\n";
  const Screen& screen = session.out;
  const bool own = list.basis == Basis::ratings;
  const auto parts = own ? asking.attributions(list) : std::vector<std::vector<double>>{};
  const double scale = largest_bar(parts);
  const std::size_t columns = screen.width >= 90 ? 30 : screen.width >= 60 ? 16 : 8;
  const bool titles = asking.model.ratings().has_titles();
  Table table({{"#", true},
               {"item", false, true},
               {titles ? "title" : "", false, true},
               {"score", true},
               {""}});
  bool unlinked = false;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Recommended& item = list.items[k];
    const bool none = own && item.score == 0;
    unlinked = unlinked || none;
    std::string drawn = none ? "no link" : "";
    if (own && !none && scale > 0) drawn = stacked_bar(screen, parts[k], scale, columns);
    table.row({std::to_string(k + 1), printable(item.item), titles ? printable(item.title) : "",
               own ? score_text(item.score) : fmt::format("{:.0f}", item.score), drawn});
  }
  text += table.text(screen);
  if (scale > 0) {
    std::vector<std::string> names;
    for (const Criterion& criterion : asking.model.ratings().criteria()) {
      names.push_back(criterion.name);
    }
    text += "\n" + legend(screen, names);
  }
  if (unlinked)
    text += "\nno link: nothing leads from the ratings to the item; its place says nothing.\n";
  if (!explain || !own) return text;
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const Explanation why = asking.explain(list, list.items[k].item);
    text += fmt::format("\n{}. {}\n", k + 1, named(why.item, why.title));
    text += criterion_bars(session, why, "   ");
    const std::string reason = because(why);
    for (const std::string& line : wrap(reason, std::max<std::size_t>(20, screen.width - 3))) {
      if (!line.empty()) text += "   " + line + "\n";
    }
  }
  return text;
}

}  // namespace palate::cli
