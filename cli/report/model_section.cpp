// How the model is set: filters, their response, the criteria preference, the automatic choice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html.hpp"
#include "sections.hpp"
#include "svg.hpp"

namespace palate::cli {
namespace {

constexpr std::size_t line_styles = 6;  // .line0 ... in report.css

/// Filters with the same coefficients share a response, whatever their power.
struct Response {
  Filter filter;
  std::vector<std::size_t> criteria;
};

std::vector<Response> responses_of(const std::vector<Filter>& filters) {
  std::vector<Response> out;
  for (std::size_t c = 0; c < filters.size(); ++c) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Response& r) {
      return r.filter.coefficients == filters[c].coefficients;
    });
    if (same == out.end()) {
      out.push_back({filters[c], {c}});
    } else {
      same->criteria.push_back(c);
    }
  }
  return out;
}

std::string formula(const Filter& filter) {
  std::string out;
  for (std::size_t k = 0; k < filter.coefficients.size(); ++k) {
    const double a = filter.coefficients[k];
    if (a == 0) continue;
    if (!out.empty() || a < 0) out += a < 0 ? (out.empty() ? "\u2212" : " \u2212 ") : " + ";
    if (std::abs(a) != 1) out += html::plain(std::abs(a)) + "\u202F";
    out += "P";
    if (k > 0) out += fmt::format("<sup>{}</sup>", k + 1);
  }
  return out.empty() ? "0" : out;
}

std::string_view effect_of(double power) {
  if (power < 1) return "weak links lifted";
  if (power > 1) return "weak links damped";
  return "links as they are";
}

std::string filter_table(const Context& context) {
  std::string out =
      "<div class=\"card\"><h3>Filter of each criterion</h3>\n<div "
      "class=\"scroll\"><table><caption>P is "
      "the item graph with every link raised to the power s.</caption>\n<thead><tr><th "
      "scope=\"col\">Criterion</th><th scope=\"col\">Filter</th><th scope=\"col\">Matrix</th><th "
      "scope=\"col\" class=\"n\">Power s</th><th scope=\"col\">Effect of "
      "s</th></tr></thead>\n<tbody>\n";
  const auto criteria = context.input.ratings->criteria();
  for (std::size_t c = 0; c < context.info.filters.size() && c < criteria.size(); ++c) {
    const Filter& filter = context.info.filters[c];
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"math\">{}</td><td class=\"n\">{}</td>"
        "<td>{}</td></tr>\n",
        html::criterion_key(c, criteria[c].name), html::text(filter_name(filter)), formula(filter),
        html::plain(filter.power), effect_of(filter.power));
  }
  return out + "</tbody></table></div></div>\n";
}

std::string response_plot(const std::vector<Response>& responses) {
  constexpr double width = 360, height = 236, left = 34, right = 352, roof = 12, floor = 190;
  constexpr int steps = 60;
  double low = 0, high = 1;
  std::string names;
  for (const Response& response : responses) {
    for (int k = 0; k <= steps; ++k) {
      const double h = frequency_response(response.filter, static_cast<double>(k) / steps);
      if (!std::isfinite(h)) continue;
      low = std::min(low, h);
      high = std::max(high, h);
    }
    names += (names.empty() ? "" : "; ") + filter_name(response.filter);
  }
  const Scale x{0, 1, left, right}, y{low, high, floor, roof};
  Svg svg(width, height, "Frequency response h(x) for x from 0 to 1 of the filters " + names);
  for (const double tick : round_ticks(low, high, 4)) {
    svg.line(left, y(tick), right, y(tick), tick == 0 ? "axis" : "rule");
    svg.text(left - 6, y(tick) + 4, html::plain(tick), Anchor::end);
  }
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    svg.text(x(tick), floor + 16, html::plain(tick), Anchor::middle);
  }
  for (std::size_t r = 0; r < responses.size(); ++r) {
    std::vector<std::pair<double, double>> points;
    for (int k = 0; k <= steps; ++k) {
      const double at = static_cast<double>(k) / steps;
      points.emplace_back(x(at), y(frequency_response(responses[r].filter, at)));
    }
    svg.curve(points, fmt::format("stroke line{}", r % line_styles));
  }
  svg.text(left, height - 8, "x: 0 shared by linked items, 1 differing between them");
  return svg.str();
}

std::string response_figure(const Context& context) {
  const std::vector<Response> responses = responses_of(context.info.filters);
  const auto criteria = context.input.ratings->criteria();
  std::string out = "<figure class=\"card\"><h3>What the filters let through</h3>\n";
  out += response_plot(responses);
  out += "<figcaption><ul class=\"legend\">\n";
  for (std::size_t r = 0; r < responses.size(); ++r) {
    std::vector<std::string> users;
    for (const std::size_t c : responses[r].criteria) {
      if (c < criteria.size()) users.push_back(html::name(criteria[c].name));
    }
    out += fmt::format(
        "<li><svg class=\"dash\" viewBox=\"0 0 34 8\" aria-hidden=\"true\"><path class=\"stroke "
        "line{}\" "
        "fill=\"none\" d=\"M1 4L33 4\"/></svg><b>{}</b> for {}</li>\n",
        r % line_styles, html::text(filter_name(responses[r].filter)), html::listed(users));
  }
  return out + "</ul></figcaption></figure>\n";
}

std::string preference_table(const Context& context) {
  std::vector<const Person*> people;
  for (const Person& person : context.people) {
    if (!person.preference.empty()) people.push_back(&person);
  }
  std::string out = "<div class=\"card\"><h3>Criteria preference</h3>\n";
  if (!context.info.preference) {
    return out + "<p>Off: every criterion counts the same for everybody.</p></div>\n";
  }
  out += fmt::format(
      "<p>On, with power s<sub>T</sub> = {}. Each person weighs the criteria by how much of their "
      "ratings went to each, seen through what everybody does.</p>\n",
      html::plain(*context.info.preference));
  if (people.empty()) return out + "</div>\n";
  const auto criteria = context.input.ratings->criteria();
  out +=
      "<div class=\"scroll\"><table><caption>Weight of each criterion, as a share, for the people "
      "shown below</caption>\n<thead><tr><th scope=\"col\">Criterion</th>";
  for (const Person* person : people) {
    out += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", html::name(person->id));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html::criterion_key(c, criteria[c].name));
    for (const Person* person : people) {
      const double share = c < person->preference.size() ? person->preference[c] : 0;
      out += fmt::format("<td class=\"n\">{}</td>", html::percent(share));
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div></div>\n";
}

std::string step_rows(const Choice& choice, bool only_taken) {
  std::string out =
      "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Tried</th><th scope=\"col\" "
      "class=\"n\">" +
      html::text(choice.measure) + "</th><th scope=\"col\">Taken</th></tr></thead>\n<tbody>\n";
  for (const Choice::Step& step : choice.steps) {
    if (only_taken && !step.taken) continue;
    out += fmt::format("<tr{}><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                       step.taken ? " class=\"best\"" : "", html::text(step.tried),
                       html::fixed(step.value, 4), step.taken ? "yes" : "no");
  }
  return out + "</tbody></table></div>\n";
}

std::string choice_steps(const Choice& choice) {
  std::string out = "<div class=\"card\"><h3>How the settings were chosen</h3>\n";
  const auto taken = static_cast<std::size_t>(std::count_if(
      choice.steps.begin(), choice.steps.end(), [](const auto& s) { return s.taken; }));
  out += fmt::format(
      "<p>On a validation part, one change at a time, kept only if it helped. {} tried, {} kept: "
      "{} "
      "went from {} with plain linear filters to <b>{}</b>, measured on {}. These are not the test "
      "figures.</p>\n",
      html::counted(choice.steps.size(), "setting", "settings"), html::count(taken),
      html::text(choice.measure), html::fixed(choice.start, 4), html::fixed(choice.end, 4),
      html::counted(choice.users, "user", "users"));
  if (taken > 0) out += step_rows(choice, true);
  if (choice.steps.size() > taken) {
    out += "<details><summary>Everything that was tried</summary>\n" + step_rows(choice, false) +
           "</details>\n";
  }
  return out + "</div>\n";
}

std::string engine_note(const ModelInfo& info) {
  if (info.storage.empty()) return {};
  const bool exact = info.solver == "exact";
  return fmt::format(
      "<p>Computed on the <b>{}</b> form of the graph with the <b>{}</b> solver{}{}."
      "{}</p>\n",
      html::text(info.storage), html::text(info.solver), info.why.empty() ? "" : ": ",
      html::text(info.why),
      exact ? "" : " Second orders are those of the leading directions of the graph.");
}

}  // namespace

std::string model_section(const Context& context) {
  const ModelInfo& info = context.info;
  std::string out = "<section id=\"model\"><h2>Model</h2>\n";
  if (info.filters.empty()) {
    out += fmt::format("<p>The method <b>{}</b> has no filters.</p>\n", html::text(info.method));
  } else {
    out += fmt::format(
        "<p>Items are linked when the same people rated them; the graph has {}. A filter per "
        "criterion "
        "spreads a person's ratings along the links, and the sum over the criteria is the "
        "score.</p>\n",
        html::counted(info.graph_entries, "link", "links"));
    out += engine_note(info);
    out += "<div class=\"grid wide\">\n" + filter_table(context) + response_figure(context) +
           preference_table(context);
    if (context.input.choice != nullptr) out += choice_steps(*context.input.choice);
    out += "</div>\n";
  }
  return out + "</section>\n";
}

}  // namespace palate::cli
