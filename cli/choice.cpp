#include "choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "palate/evaluation.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

// Gains in percent of `whole`, with their standard errors.
std::string gains_table(const Session& session, const std::string& title,
                        const std::string& gain_title, std::span<const Choice::Step> steps,
                        const auto& whole) {
  const char* sign = session.out.utf8 ? "\u00B1" : "+-";
  Table table({{title, false, true}, {"worth", true}, {gain_title, true}});
  for (const Choice::Step& step : steps) {
    std::string gain = percent_text(step.gain, whole(step));
    if (step.error > 0 && whole(step) > 0) {
      gain += fmt::format(" {} {:.1f}", sign, 100 * step.error / whole(step));
    }
    table.row({printable(step.tried), fmt::format("{:.4f}", step.value), gain});
  }
  return table.text(session.out);
}

std::string held_back(const Choice& choice) {
  if (choice.validation <= 0) return {};
  return fmt::format(" ({:g} % of everyone's ratings, seed {})", 100 * choice.validation,
                     choice.seed);
}

// Models of earlier versions do not say.
std::string relevant(const Choice& choice) {
  return choice.relevance.empty() ? "" : fmt::format(", relevant: {}", choice.relevance);
}

}  // namespace

std::string percent_text(double gain, double before) {
  return before > 0 ? fmt::format("{:+.1f} %", 100 * gain / before) : std::string("new");
}

std::string choice_text(const Choice& choice) {
  if (choice.too_few()) {
    return fmt::format(
        "too few to measure: fewer than {} people can be judged on ratings held back, so these are "
        "the settings that the method begins with\n",
        enough_users);
  }
  std::string out = fmt::format("settings chosen on ratings held back, {} judged{}\n",
                                counted(choice.users, "list"), relevant(choice));
  const bool popular = choice.method.name() == "popularity";
  std::vector<std::string> others;
  for (const Choice::Step& one : choice.against) {
    if (popular && one.tried == "popularity") continue;
    others.push_back(fmt::format("{} over {}", percent_text(one.gain, one.value), one.tried));
  }
  constexpr std::size_t columns = 100;
  for (const std::string& line :
       wrap(fmt::format("worth {:.4f} ({}){}{}", choice.end, printable(choice.measure),
                        others.empty() ? "" : ": ", printable(join(others, "; "))),
            columns)) {
    out += line + "\n";
  }
  if (popular) out += "nothing that was tried finds more than what is popular with everybody\n";
  return out;
}

std::string choice_tables(const Session& session, const Choice& choice) {
  if (choice.too_few()) return choice_text(choice);
  std::string out = fmt::format("chosen on ratings held back, {} judged{}{}\nworth {:.4f}: {}\n",
                                counted(choice.users, "list"), held_back(choice), relevant(choice),
                                choice.end, printable(choice.measure));
  if (!choice.against.empty()) {
    out += "\n" + gains_table(session, "than", "gain", choice.against,
                              [](const Choice::Step& step) { return step.value; });
  }
  std::vector<Choice::Step> taken;
  std::copy_if(choice.steps.begin(), choice.steps.end(), std::back_inserter(taken),
               [](const Choice::Step& step) { return step.taken; });
  if (!taken.empty()) {
    out += "\n" + gains_table(session, "by the steps", "gain", taken,
                              [](const Choice::Step& step) { return step.value - step.gain; });
  }
  if (!choice.without.empty()) {
    out += "\n" + gains_table(session, "but with", "change", choice.without,
                              [](const Choice::Step& step) { return step.value - step.gain; });
  }
  return out + fmt::format("\n{} tried; {} is the standard error over the same people\n",
                           counted(choice.steps.size(), "setting"),
                           session.out.utf8 ? "\u00B1" : "+-");
}

std::string trials_table(const Session& session, const Choice& choice) {
  Table table(
      {{"tried", false, true}, {"worth", true}, {"gain", true}, {"error", true}, {"taken"}});
  for (const Choice::Step& step : choice.steps) {
    table.row({printable(step.tried), fmt::format("{:.5f}", step.value),
               fmt::format("{:+.5f}", step.gain),
               step.error > 0 ? fmt::format("{:.5f}", step.error) : "", step.taken ? "yes" : ""});
  }
  return table.text(session.out);
}

}  // namespace palate::cli
