// How the settings were chosen: what they gain, by which steps, what each part gives, how sure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bars.hpp"
#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

// "+5.4 %", with one standard error where it is known.
std::string percent(double gain, double error, double of) {
  if (of <= 0) return "\u2013";
  std::string out = fmt::format("{}{}\u00A0%", gain < 0 ? "\u2212" : "+",
                                html::fixed(std::abs(gain) / of * 100, 1));
  if (error > 0) out += fmt::format(" \u00B1 {}", html::fixed(error / of * 100, 1));
  return out;
}

// `sign`: -1 where a gain is one of what was taken away.
std::string gains(std::string_view label, const std::vector<Choice::Step>& steps, double sign,
                  const auto& of) {
  std::vector<BarRow> rows;
  for (const Choice::Step& step : steps) {
    const double whole = of(step);
    const double share = whole > 0 ? 100 / whole : 0;
    const double gain = sign * step.gain;
    rows.push_back({step.tried, gain * share, (gain - step.error) * share,
                    (gain + step.error) * share, percent(gain, step.error, whole)});
  }
  return bars(label, rows, false);
}

double before(const Choice::Step& step) { return step.value - step.gain; }

std::string against_card(const Choice& choice) {
  if (choice.against.empty()) return {};
  return "<figure class=\"card\"><h3>What is gained over simple ways</h3>\n" +
         gains("Gain over ", choice.against, 1,
               [](const Choice::Step& step) { return step.value; }) +
         "<figcaption>In percent of what the simple way is worth to the same people, on ratings "
         "held back.</figcaption></figure>\n";
}

std::string without_card(const Choice& choice) {
  if (choice.without.empty()) return {};
  return "<figure class=\"card\"><h3>What each part gives</h3>\n" +
         gains("Loss with ", choice.without, -1, before) +
         "<figcaption>What is lost if one setting is put back to the value named, the others "
         "staying as they are. The line on a bar is one standard error: where it crosses 0, the "
         "part may as well be left out.</figcaption></figure>\n";
}

std::string step_rows(const Choice& choice, bool only_taken) {
  std::string out = "<div class=\"scroll\"><table>" +
                    html::table_head({{"Tried"}, {"Worth", true}, {"Gain", true}, {"Taken"}});
  for (const Choice::Step& step : choice.steps) {
    if (only_taken && !step.taken) continue;
    out += fmt::format(
        "<tr{}><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        step.taken ? " class=\"best\"" : "", html::text(step.tried), html::fixed(step.value, 4),
        percent(step.gain, step.error, before(step)), step.taken ? "yes" : "no");
  }
  return out + "</tbody></table></div>\n";
}

std::string steps_card(const Choice& choice) {
  const auto taken = static_cast<std::size_t>(std::count_if(
      choice.steps.begin(), choice.steps.end(), [](const auto& s) { return s.taken; }));
  std::string out = "<div class=\"card\"><h3>How the settings were chosen</h3>\n<p>";
  out += choice.validation > 0
             ? fmt::format("{}\u00A0% of everyone's ratings were held back (seed {}).",
                           html::plain(100 * choice.validation), choice.seed)
             : "Part of everyone's ratings was held back.";
  out += fmt::format(
      " What lists are worth is the {}, over {}. {} tried one after the other, {} kept: from "
      "{} with plain linear filters to <b>{}</b>. These are not the test figures.</p>\n",
      html::text(choice.measure), html::counted(choice.users, "list", "lists"),
      html::counted(choice.steps.size(), "setting was", "settings were"), html::count(taken),
      html::fixed(choice.start, 4), html::fixed(choice.end, 4));
  if (taken > 0) out += step_rows(choice, true);
  if (choice.steps.size() > taken) {
    out += "<details><summary>Everything that was tried</summary>\n" + step_rows(choice, false) +
           "</details>\n";
  }
  return out +
         "<p class=\"quiet\">\u00B1 is one standard error of the gain over the same people: two "
         "times in three the truth lies within it.</p></div>\n";
}

}  // namespace

std::string choice_cards(const Choice& choice) {
  if (choice.steps.empty()) return {};
  return against_card(choice) + without_card(choice) + steps_card(choice);
}

}  // namespace palate::cli
