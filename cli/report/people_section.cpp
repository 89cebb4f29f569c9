// Recommendations for a few people, with weights to turn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "html.hpp"
#include "sections.hpp"
#include "shown.hpp"

namespace palate::cli {
namespace {

/// How far bars reach to either side of the axis.
struct Reach {
  double left = 0, right = 0;

  [[nodiscard]] double whole() const { return left + right > 0 ? left + right : 1; }
};

Reach reach_of(const Candidate& candidate) {
  Reach reach;
  for (const double part : candidate.parts) (part < 0 ? reach.left : reach.right) += std::abs(part);
  (candidate.baseline < 0 ? reach.left : reach.right) += std::abs(candidate.baseline);
  return reach;
}

std::string segment(std::string_view css_class, std::string_view label, double value, double score,
                    double left, double width) {
  return fmt::format(
      "<span class=\"seg {}{}\" style=\"left:{:.2f}%;width:{:.2f}%\" title=\"{}: {}\"></span>",
      css_class, value < 0 ? " minus" : "", left, width, html::text(label),
      html::share(value, score));
}

// Positive parts to the right of the axis, negative ones to the left.
std::string bar(const Candidate& candidate, std::span<const Criterion> criteria,
                const Reach& reach) {
  const double whole = reach.whole();
  double right = reach.left, left = reach.left;
  std::string out;
  const auto put = [&](std::string_view css_class, std::string_view label, double value) {
    if (value == 0) return;
    const double width = std::abs(value);
    if (value < 0) left -= width;
    out += segment(css_class, label, value, candidate.score,
                   (value < 0 ? left : right) / whole * 100, width / whole * 100);
    if (value > 0) right += width;
  };
  put("base", "not due to the ratings", candidate.baseline);
  for (std::size_t c = 0; c < candidate.parts.size() && c < criteria.size(); ++c) {
    put(html::colour_class(c), criteria[c].name, candidate.parts[c]);
  }
  return fmt::format(
      "<div class=\"bar\">{}<span class=\"zero\" style=\"left:{:.2f}%\"></span></div>", out,
      reach.left / whole * 100);
}

std::string badge(const Candidate& candidate) {
  if (!candidate.in_test) return {};
  return fmt::format("<span class=\"badge\">rated {} in the test part</span>",
                     html::plain(*candidate.in_test));
}

// "predicted 4.2", or "".
std::string predicted_overall(const Candidate& candidate, std::span<const Criterion> criteria) {
  if (candidate.predicted.empty() || std::isnan(candidate.predicted.front())) return {};
  return "predicted " + rating_text(candidate.predicted.front(), criteria.front());
}

// The same shape as make_row in report.js, which takes the list over.
std::string list_row(const Candidate& candidate, std::size_t rank,
                     std::span<const Criterion> criteria, const Reach& reach) {
  const std::string predicted = predicted_overall(candidate, criteria);
  const std::string id = candidate.title == candidate.item
                             ? std::string()
                             : "<small>" + html::name(candidate.item) + "</small>";
  return fmt::format(
      "<li><span class=\"rank\">{}</span><span class=\"move\"></span><div class=\"what\"><div "
      "class=\"name\">{}{}{}</div>{}</div><span class=\"score\"><b>{}</b><small>{}</small></span>"
      "</li>\n",
      rank, html::name(candidate.title), id, badge(candidate), bar(candidate, criteria, reach),
      match_text(candidate.match.value_or(0)), predicted);
}

std::string dials(std::span<const Criterion> criteria, std::size_t person) {
  std::string out =
      "<form class=\"dials\" hidden><fieldset><legend>What should count?</legend>\n<p>Turn a "
      "criterion up or "
      "down: the list follows at once.</p>\n";
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    const std::string id = fmt::format("dial-{}-{}", person, c);
    out += fmt::format(
        "<div class=\"dial {0}\"><label for=\"{1}\">{2}</label><output "
        "for=\"{1}\">&times;1</output>"
        "<input type=\"range\" id=\"{1}\" data-criterion=\"{3}\" min=\"-3\" max=\"3\" "
        "step=\"0.5\" value=\"0\"></div>\n",
        html::colour_class(c), id, html::criterion_key(c, criteria[c].name), c);
  }
  return out + "<button type=\"reset\">Reset all to 1</button></fieldset></form>\n";
}

std::string favourites(const Person& person, std::span<const Criterion> criteria) {
  if (person.favourites.empty()) return {};
  std::string out =
      "<div class=\"scroll\"><table><caption>What this person rated "
      "highest</caption>\n<thead><tr><th "
      "scope=\"col\">Item</th>";
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    out += fmt::format("<th scope=\"col\" class=\"n\">{}</th>",
                       html::criterion_key(c, criteria[c].name));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const RatedItem& rated : person.favourites) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html::name(rated.title));
    for (const std::optional<float>& value : rated.values) {
      out += fmt::format("<td class=\"n\">{}</td>",
                         value ? html::plain(*value) : "<span class=\"quiet\">not rated</span>");
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string person_article(const Person& person, std::size_t index,
                           std::span<const Criterion> criteria) {
  std::string out =
      fmt::format("<article class=\"person card\" id=\"person-{}\"><h3>For {}</h3>\n<p>{}{}</p>\n",
                  index, html::name(person.id),
                  person.rated == 0 ? std::string("Has rated nothing")
                                    : "Has rated " + html::counted(person.rated, "item", "items"),
                  person.basis == Basis::popularity
                      ? ": this list is what most people rated, not a personal one."
                      : ".");
  if (person.candidates.empty()) {
    return out + "<p>There is no item left to recommend.</p>\n" + favourites(person, criteria) +
           "</article>\n";
  }
  const std::size_t shown = std::min(shown_items, person.candidates.size());
  Reach reach;
  for (std::size_t k = 0; k < shown; ++k) {
    const Reach own = reach_of(person.candidates[k]);
    reach.left = std::max(reach.left, own.left);
    reach.right = std::max(reach.right, own.right);
  }
  out += fmt::format("<div class=\"turn{}\">\n", person.weighable ? " with-dials" : "");
  if (person.weighable) out += dials(criteria, index);
  out += fmt::format(
      "<div><h4 id=\"list-{0}\">Top {1}</h4>\n<ol class=\"ranked\" aria-labelledby=\"list-{0}\">\n",
      index, shown);
  for (std::size_t k = 0; k < shown; ++k) {
    out += list_row(person.candidates[k], k + 1, criteria, reach);
  }
  out += "</ol>\n<p class=\"live\" aria-live=\"polite\"></p></div></div>\n";
  return out + favourites(person, criteria) + "</article>\n";
}

std::string picker(const std::vector<Person>& people) {
  if (people.size() < 2) return {};
  std::string out = "<div class=\"picker\" role=\"group\" aria-label=\"Person shown\" hidden>\n";
  for (std::size_t k = 0; k < people.size(); ++k) {
    out +=
        fmt::format("<button type=\"button\" aria-pressed=\"{}\" data-person=\"{}\">{}</button>\n",
                    k == 0 ? "true" : "false", k, html::name(people[k].id));
  }
  return out + "</div>\n";
}

// Seven digits are more than the float scores have.
double rounded(double value) { return std::stod(fmt::format("{:.7g}", value)); }

std::string embedded_data(const Context& context) {
  nlohmann::json data;
  data["shown"] = shown_items;
  data["criteria"] = nlohmann::json::array();
  for (const Criterion& criterion : context.input.ratings->criteria()) {
    data["criteria"].push_back(criterion.name);
  }
  data["people"] = nlohmann::json::array();
  for (const Person& person : context.people) {
    nlohmann::json items = nlohmann::json::array();
    if (person.weighable) {
      for (const Candidate& candidate : person.candidates) {
        nlohmann::json item = {{"title", candidate.title}, {"base", rounded(candidate.baseline)}};
        if (candidate.match) item["match"] = match_text(*candidate.match);
        item["predicted"] = predicted_overall(candidate, context.input.ratings->criteria());
        if (candidate.item != candidate.title) item["id"] = candidate.item;
        if (candidate.in_test) item["test"] = rounded(*candidate.in_test);
        item["parts"] = nlohmann::json::array();
        for (const double part : candidate.parts) item["parts"].push_back(rounded(part));
        item["tilts"] = nlohmann::json::array();
        for (const Tilt& tilt : candidate.tilts) {
          item["tilts"].push_back({rounded(tilt.up), rounded(tilt.down)});
        }
        items.push_back(std::move(item));
      }
    }
    data["people"].push_back({{"items", std::move(items)}, {"unrated", person.unrated}});
  }
  return fmt::format("<script type=\"application/json\" id=\"people-data\">{}</script>\n",
                     html::script_json(data));
}

std::string predictions(const Model& model) {
  const std::vector<PredictionError> errors = model.prediction_errors();
  if (errors.empty() || errors.front().criterion != 0) {
    return "What people would rate cannot be told here better than by a plain guess.";
  }
  return "Below it stands what the person would rate it. " + prediction_sentence(errors);
}

}  // namespace

std::string people_section(const Context& context) {
  if (context.people.empty()) return {};
  const auto criteria = context.input.ratings->criteria();
  const auto any = [&](auto test) {
    return std::any_of(context.people.begin(), context.people.end(), test);
  };
  const bool weighable = any([](const Person& p) { return p.weighable; });
  const bool negative = any([](const Person& p) {
    return std::any_of(p.candidates.begin(), p.candidates.end(),
                       [](const Candidate& c) { return reach_of(c).left > 0; });
  });

  std::string out = "<section id=\"people\"><h2>Recommendations</h2>\n";
  out += fmt::format(
      "<p>The number beside an item is its match: with 90 it stands above 90\u00A0% of all that "
      "the "
      "person has not rated. {}</p>\n",
      html::text(predictions(*context.input.model)));
  if (weighable) {
    out += "<p>The bar under each item shows which share of its score each criterion adds.";
    if (negative) out += " Hatched parts to the left of the axis take away from it.";
    out +=
        " A criterion that is turned up lifts items that people rate higher on it than their "
        "overall says; turned down, it lets them fall. What that adds to a score is a striped part "
        "at the end of its bar. The page ranks the list again by itself, "
        "among the candidates that it carries: the best 60 of each person, and the best with each "
        "criterion turned up or down.</p>\n";
    out += "<ul class=\"legend row\">\n";
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      out += "<li>" + html::criterion_key(c, criteria[c].name) + "</li>\n";
    }
    out += "</ul>\n";
  } else if (criteria.size() > 1 && !describe_method(context.info.method).can.weigh_criteria) {
    out += "<p>This method does not combine criteria: its scores have one part only.</p>\n";
  }
  out += picker(context.people);
  for (std::size_t k = 0; k < context.people.size(); ++k) {
    out += person_article(context.people[k], k, criteria);
  }
  return out + (weighable ? embedded_data(context) : "") + "</section>\n";
}

}  // namespace palate::cli
