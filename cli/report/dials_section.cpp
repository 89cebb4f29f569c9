// What turning a criterion up or down does to the lists.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

constexpr std::array<std::pair<double, std::string_view>, 4> turns = {
    {{0.25, "\u00D7\u00BC"}, {0.5, "\u00D7\u00BD"}, {2, "\u00D72"}, {4, "\u00D74"}}};

std::string signed_number(double value, int decimals) {
  const std::string text = html::fixed(value, decimals);
  return value > 0 && text.find_first_of("123456789") != std::string::npos ? "+" + text : text;
}

std::string cost(const DialReport& report, const DialEffect& effect) {
  if (!(report.ndcg > 0)) return "";
  return signed_number(100 * (effect.ndcg / report.ndcg - 1), 1) + "\u00A0%";
}

std::string effect_cell(const DialReport& report, const DialEffect& effect, double farthest) {
  const double strength = farthest > 0 ? std::min(1.0, std::abs(effect.shift) / farthest) : 0;
  return fmt::format(
      "<td class=\"n heat{}\" style=\"--heat:{:.0f}%\">{}<small>{} new, {}</small></td>",
      effect.shift < 0 ? " minus" : "", strength * 48, signed_number(effect.shift, 2),
      html::fixed(effect.changed, 1), cost(report, effect));
}

std::string effect_row(const DialReport& report, const std::string& name, std::size_t criterion,
                       double farthest) {
  std::string out =
      fmt::format("<tr><th scope=\"row\">{}</th>", html::criterion_key(criterion, name));
  for (const auto& turn : turns) {
    const auto found = std::find_if(
        report.effects.begin(), report.effects.end(),
        [&](const DialEffect& one) { return one.criterion == name && one.weight == turn.first; });
    out += found == report.effects.end() ? "<td></td>" : effect_cell(report, *found, farthest);
  }
  return out + "</tr>\n";
}

// Of a dial at 2: over all criteria, "1.3" or "1.3 to 1.6".
std::string at_two(const DialReport& report, const auto& value_of, int decimals) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const DialEffect& one : report.effects) {
    if (one.weight != 2) continue;
    low = std::min(low, value_of(one));
    high = std::max(high, value_of(one));
  }
  const std::string first = html::fixed(low, decimals);
  const std::string last = html::fixed(high, decimals);
  return first == last ? first : first + " to " + last;
}

}  // namespace

std::string dials_section(const Context& context) {
  if (context.input.dials == nullptr || context.input.dials->effects.empty()) return {};
  const DialReport& report = *context.input.dials;
  const auto criteria = context.input.ratings->criteria();
  double farthest = 0;
  for (const DialEffect& one : report.effects) {
    farthest = std::max(farthest, std::abs(one.shift));
  }
  std::string out = "<section id=\"dials\"><h2>Dials</h2>\n";
  out += fmt::format(
      "<p>Do the dials do what they say? With one criterion turned to 2, {} of ten recommended "
      "items are others. Measured on the lists of {}.</p>\n",
      at_two(
          report, [](const DialEffect& one) { return one.changed; }, 1),
      html::counted(report.users, "person", "people"));
  out +=
      "<p>The table shows how much higher the ten items are then rated on the criterion than their "
      "overall says (overall: how much higher they are rated), in standard deviations over all "
      "items. Below it: how many of the ten are others, and what NDCG@10 gains or loses.</p>\n";
  out +=
      "<div class=\"card scroll\"><table class=\"map\"><caption>By how far each dial is "
      "turned</caption>\n<thead><tr><th scope=\"col\">Criterion</th>";
  for (const auto& turn : turns) {
    out += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", turn.second);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    out += effect_row(report, criteria[c].name, c, farthest);
  }
  return out + "</tbody></table></div></section>\n";
}

}  // namespace palate::cli
