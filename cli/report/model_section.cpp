// How the model is set: filters, their response, the criteria preference, other settings.
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

// Strengths are a hundredth to a thousand times the average: each decade is as wide as the next.
std::string ridge_figure(const ModelInfo& info) {
  constexpr double width = 360, height = 236, left = 44, right = 338, roof = 12, floor = 190;
  const Scale x{-2, 3, left, right}, y{0, 1, floor, roof};
  Svg svg(width, height, "Share of a pattern that passes, by how strong it is");
  for (const double tick : {0.0, 0.5, 1.0}) {
    svg.line(left, y(tick), right, y(tick), tick == 0 ? "axis" : "rule");
    svg.text(left - 6, y(tick) + 4, html::plain(100 * tick) + "\u00A0%", Anchor::end);
  }
  for (int tick = -2; tick <= 3; ++tick) {
    svg.text(x(tick), floor + 16, html::plain(std::pow(10.0, tick)), Anchor::middle);
  }
  std::vector<std::pair<double, double>> points;
  for (const auto& [strength, share] : info.response) {
    points.emplace_back(x(std::log10(strength)), y(share));
  }
  svg.curve(points, "stroke line0");
  svg.text(left, height - 8, "strength of a pattern of ratings; 1 is the average one");
  return "<figure class=\"card\"><h3>What the ridge lets through</h3>\n" + svg.str() +
         "<figcaption>Patterns that many ratings share pass; weak ones, mostly chance, are held "
         "back. The larger lambda, the further right the curve. Drawn for items with the mean "
         "number of ratings.</figcaption></figure>\n";
}

// Of what was found, or given: each setting with what it does. The graph has no use for a lambda.
std::string settings_table(const Method& method, bool without_ridge) {
  std::string out = "<div class=\"card\"><h3>Settings</h3>\n<div class=\"scroll\"><table>" +
                    html::table_head({{"Setting"}, {"Value", true}, {"What it does"}});
  for (const Setting& setting : method.description().settings) {
    if (without_ridge && setting.name.starts_with("lambda")) continue;
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"quiet\">{}</td></tr>\n",
        html::text(setting.name), html::text(method.get(setting.name)), html::text(setting.help));
  }
  return out + "</tbody></table></div></div>\n";
}

std::string other_model(const Context& context) {
  const ModelInfo& info = context.info;
  const Method method = Method::from_json(info.settings);
  const std::string name = html::text(info.method);
  std::string out = fmt::format("<p>The method <b>{}</b>: {}</p>\n", name,
                                html::text(method.description().summary));
  if (!method.description().settings.empty()) {
    out += settings_table(method, name == "adaptive" && info.response.empty());
  }
  std::string cards;
  if (!info.response.empty()) cards += ridge_figure(info);
  if (context.choice) cards += choice_cards(*context.choice);
  return cards.empty() ? out : out + "<div class=\"grid wide\">\n" + cards + "</div>\n";
}

}  // namespace

std::string model_section(const Context& context) {
  const ModelInfo& info = context.info;
  std::string out = "<section id=\"model\"><h2>Model</h2>\n";
  if (info.filters.empty()) {
    out += other_model(context);
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
    if (context.choice) out += choice_cards(*context.choice);
    out += "</div>\n";
  }
  return out + "</section>\n";
}

}  // namespace palate::cli
