#include "asking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "shown.hpp"
#include "suggest.hpp"
#include "text.hpp"

namespace palate::cli {

void add_profile_option(Command& command, std::filesystem::path& profile) {
  command.option("--profile", profile, "FILE",
                 "Ratings of someone new: JSON, {\"item\": {\"overall\": 4}}, or lines of "
                 "item,criterion,value.");
}

void add_weight_options(Command& command, WeightOptions& weights) {
  command.repeatable("--weight", weights.dials, "CRITERION=X",
                     "Turn a criterion up (X above 1) or down (below 1): items rise that people "
                     "rate higher on it than their overall says, or fall. Each doubling moves the "
                     "list about as far.");
  command.repeatable("--term-weight", weights.terms, "CRITERION=X",
                     "For research: multiply the method's own term of a criterion by X.");
}

namespace {

std::vector<std::pair<std::string, double>> parse_weights(const std::string& option,
                                                          const std::vector<std::string>& texts,
                                                          const Ratings& ratings) {
  std::vector<std::pair<std::string, double>> weights;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw wrong_call(fmt::format("{} needs criterion=number, not '{}'", option, printable(text)),
                       fmt::format("for example {} taste=2", option));
    }
    const std::string criterion = text.substr(0, equals);
    require_criterion(ratings, criterion, option);
    const double weight = parse_number(option, text.substr(equals + 1));
    if (weight < 0) throw wrong_call(option + " must not be negative");
    const bool again = std::any_of(weights.begin(), weights.end(),
                                   [&](const auto& w) { return w.first == criterion; });
    if (again) {
      throw wrong_call(fmt::format("{} names '{}' more than once", option, printable(criterion)));
    }
    weights.emplace_back(criterion, weight);
  }
  return weights;
}

}  // namespace

void WeightOptions::into(RecommendOptions& options, const Ratings& ratings) const {
  options.weights = parse_weights("--weight", dials, ratings);
  options.term_weights = parse_weights("--term-weight", terms, ratings);
}

std::string named(std::string_view id, std::string_view title) {
  if (title.empty() || title == id) return printable(id);
  return fmt::format("{} ({})", printable(title), printable(id));
}

std::string criterion_bars(const Session& session, const Explanation& why,
                           std::string_view indent) {
  std::size_t name_width = 0;
  double largest = 0;
  for (std::size_t c = 0; c < why.by_criterion.size(); ++c) {
    name_width = std::max(name_width, columns_of(printable(why.criteria[c])));
    largest = std::max(largest, std::abs(why.by_criterion[c]));
  }
  name_width = std::min<std::size_t>(name_width, 24);
  const std::size_t used = indent.size() + name_width + 20;
  const std::size_t columns =
      std::clamp<std::size_t>(session.out.width > used ? session.out.width - used : 0, 6, 40);
  std::string out;
  for (std::size_t c = 0; c < why.by_criterion.size(); ++c) {
    const double value = why.by_criterion[c];
    const std::string drawn =
        value < 0 ? "against" : bar(session.out, largest > 0 ? value / largest : 0, columns, c);
    const std::string name = cut(printable(why.criteria[c]), name_width, session.out.utf8);
    out += fmt::format("{}{}  {} {:>9}\n", indent, pad_right(name, name_width),
                       pad_right(drawn, columns), share_text(value, why.score));
  }
  return out;
}

namespace {

std::string sentence_lines(const Session& session, std::string_view sentence,
                           std::string_view indent) {
  const std::size_t width =
      session.out.width > indent.size() + 20 ? session.out.width - indent.size() : 20;
  std::string out;
  for (const std::string& line : wrap(printable(sentence), width)) {
    out += fmt::format("{}{}\n", indent, line);
  }
  return out;
}

}  // namespace

std::string dial_lines(const Session& session, const Explanation& why, std::string_view indent) {
  std::string out;
  for (const Explanation::Dial& dial : why.dials) {
    out += fmt::format("{}{} x {:g}: {} of the score\n", indent,
                       printable(why.criteria.at(dial.criterion)), dial.weight,
                       share_text(dial.value, why.score));
    out += sentence_lines(session, dial.why, std::string(indent) + "  ");
  }
  return out;
}

std::string note_lines(const Session& session, const Explanation& why, std::string_view indent) {
  std::string out;
  for (const std::string& note : why.notes) out += sentence_lines(session, note, indent);
  return out;
}

std::string part_table(const Session& session, const Explanation& why, std::size_t most) {
  struct Rated {
    const Explanation::Part* first;
    std::vector<double> values;
    double sum = 0;
  };
  std::map<std::uint32_t, Rated> by_item;
  for (const Explanation::Part& part : why.parts) {
    Rated& rated = by_item.try_emplace(part.index, Rated{&part, {}}).first->second;
    rated.values.resize(why.criteria.size());
    rated.values.at(part.criterion) += part.value;
    rated.sum += part.value;
  }
  std::vector<const Rated*> order;
  for (const auto& [index, rated] : by_item) order.push_back(&rated);
  std::stable_sort(order.begin(), order.end(), [](const Rated* a, const Rated* b) {
    return std::abs(a->sum) > std::abs(b->sum);
  });
  const std::size_t shown = std::min(most, order.size());
  double largest = 0;
  for (std::size_t k = 0; k < shown; ++k) {
    double positive = 0;
    for (const double value : order[k]->values) positive += std::max(0.0, value);
    largest = std::max(largest, positive);
  }
  const std::size_t columns = session.out.width >= 70 ? 24 : session.out.width >= 50 ? 12 : 6;
  Table table({{"rated item", false, true}, {"adds", true}, {""}});
  double rest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k >= shown) {
      rest += order[k]->sum;
      continue;
    }
    table.row({named(order[k]->first->item, order[k]->first->title),
               share_text(order[k]->sum, why.score),
               order[k]->sum < 0 ? "speaks against it"
                                 : stacked_bar(session.out, order[k]->values, largest, columns)});
  }
  if (order.size() > shown) {
    table.row({fmt::format("{} more", order.size() - shown), share_text(rest, why.score), ""});
  }
  if (why.baseline != 0) table.row({"popularity", share_text(why.baseline, why.score), ""});
  for (const Explanation::Dial& dial : why.dials) {
    table.row(
        {fmt::format("dial {} x {:g}", printable(why.criteria.at(dial.criterion)), dial.weight),
         share_text(dial.value, why.score), ""});
  }
  table.row({"total", share_text(why.score, why.score), ""});
  return table.text(session.out);
}

}  // namespace palate::cli
