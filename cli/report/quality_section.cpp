// How good the recommendations are, with intervals, against other methods.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bars.hpp"
#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

std::vector<BarRow> measure(const Context& context, const std::string& metric) {
  std::vector<BarRow> out;
  for (const Evaluation& evaluation : context.input.evaluations) {
    const auto mean = evaluation.mean.find(metric);
    if (mean == evaluation.mean.end() || evaluation.users.empty()) continue;
    const auto [low, high] = mean_interval(evaluation, metric);
    out.push_back({evaluation.name, mean->second, low, high, html::fixed(mean->second, 4)});
  }
  return out;
}

std::string charts(const Context& context) {
  std::string out;
  for (const std::string_view family : {"ndcg", "recall"}) {
    const std::string metric = headline_metric(context, family);
    if (metric.empty()) continue;
    const std::vector<BarRow> rows = measure(context, metric);
    if (rows.empty()) continue;
    out += fmt::format(
        "<figure class=\"card\"><h3>{}</h3>\n{}<figcaption>{} The line on each bar is "
        "the 95\u00A0% bootstrap interval of the mean over people.</figcaption></figure>\n",
        metric_title(metric), bars(metric + " by method: ", rows, true),
        family == "ndcg" ? "Relevant items count more the higher they stand."
                         : "The share of a person's relevant items that were found.");
  }
  return out.empty() ? out : "<div class=\"grid wide\">\n" + out + "</div>\n";
}

std::string in_words(const Difference& d) {
  const bool apart = d.low > 0 || d.high < 0;
  const bool unlikely = d.p_value < 0.05;
  if (apart && unlikely) return "A clear difference.";
  if (!apart && !unlikely) return "It cannot be told from chance.";
  return "The interval and the test do not agree: take it with care.";
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "p unknown";
  return p < 0.001 ? "p &lt; 0.001" : "p = " + html::fixed(p, 3);
}

// Told from the side of the model, which is the baseline of every difference.
std::string sentence(const Difference& d) {
  const double gain = -d.difference;
  std::string out = fmt::format("<b>{}</b> ", html::name(d.baseline));
  if (gain == 0) {
    out += fmt::format("and <b>{}</b> are equal", html::name(d.method));
    if (d.low == 0 && d.high == 0) return out + fmt::format(" in {}.", metric_title(d.metric));
  } else {
    out += fmt::format("is {} {} than <b>{}</b>", html::fixed(std::abs(gain), 4),
                       gain > 0 ? "better" : "worse", html::name(d.method));
    if (d.method_mean > 0) {
      out += fmt::format(" ({}{}\u00A0%)", gain > 0 ? "+" : "\u2212",
                         html::fixed(std::abs(gain) / d.method_mean * 100, 1));
    }
  }
  out +=
      fmt::format(" in {}: interval {} to {}, {}. {}", metric_title(d.metric),
                  html::fixed(-d.high, 4), html::fixed(-d.low, 4), p_text(d.p_value), in_words(d));
  return out;
}

std::string difference_table(std::span<const Difference> differences) {
  std::string out =
      "<details><summary>All differences</summary>\n<div class=\"scroll\"><table><caption>Method "
      "minus "
      "model, paired over people: mean, bootstrap interval, Wilcoxon signed-rank test. With many "
      "rows some p-values are small by chance.</caption>\n<thead><tr><th "
      "scope=\"col\">Metric</th><th scope=\"col\">Method</th><th scope=\"col\" "
      "class=\"n\">Model</th><th "
      "scope=\"col\" class=\"n\">Method</th><th scope=\"col\" class=\"n\">Difference</th><th "
      "scope=\"col\" "
      "class=\"n\">Interval</th><th scope=\"col\" class=\"n\">p</th></tr></thead>\n<tbody>\n";
  for (const Difference& d : differences) {
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{} to {}</td><td class=\"n\">{}</td></tr>\n",
        metric_title(d.metric), html::name(d.method), html::fixed(d.baseline_mean, 4),
        html::fixed(d.method_mean, 4), html::fixed(d.difference, 4), html::fixed(d.low, 4),
        html::fixed(d.high, 4), d.p_value < 0.001 ? "&lt; 0.001" : html::fixed(d.p_value, 3));
  }
  return out + "</tbody></table></div></details>\n";
}

std::string differences(const Context& context) {
  const auto all = context.input.differences;
  if (all.empty()) return {};
  std::string list;
  for (const std::string_view family : {"ndcg", "recall"}) {
    const std::string metric = headline_metric(context, family);
    for (const Difference& d : all) {
      if (d.metric == metric) list += fmt::format("<li>{}</li>\n", sentence(d));
    }
  }
  std::string out = "<h3>Differences</h3>\n";
  if (!list.empty()) out += "<ul class=\"says\">\n" + list + "</ul>\n";
  return out + difference_table(all);
}

bool higher_is_better(std::string_view metric) {
  return !metric.starts_with("coverage") && !metric.starts_with("novelty") &&
         !metric.starts_with("gini");
}

std::string metric_row(std::span<const Evaluation> evaluations, const std::string& metric) {
  double best = -1;
  for (const Evaluation& e : evaluations) {
    const auto found = e.mean.find(metric);
    if (found != e.mean.end() && std::isfinite(found->second)) best = std::max(best, found->second);
  }
  std::string out = fmt::format("<tr><th scope=\"row\">{}</th>", metric_title(metric));
  for (const Evaluation& e : evaluations) {
    const auto found = e.mean.find(metric);
    const double value = found == e.mean.end() ? std::nan("") : found->second;
    const bool mark =
        evaluations.size() > 1 && higher_is_better(metric) && value == best && best > 0;
    out +=
        fmt::format("<td class=\"n\">{}</td>",
                    mark ? fmt::format("<b>{}</b>", html::fixed(value, 4)) : html::fixed(value, 4));
  }
  return out + "</tr>\n";
}

std::string metric_table(std::span<const Evaluation> evaluations, std::size_t length,
                         const std::vector<std::string>& metrics) {
  std::string out = fmt::format(
      "<div class=\"card scroll\"><table class=\"metrics\"><caption>{}</caption>\n<thead><tr><th "
      "scope=\"col\">Metric</th>",
      length == 0 ? std::string("Whole lists") : fmt::format("Lists of {}", length));
  for (const Evaluation& e : evaluations) {
    out += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", html::name(e.name));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::string& metric : metrics) out += metric_row(evaluations, metric);
  return out + "</tbody></table></div>\n";
}

std::string metric_tables(std::span<const Evaluation> evaluations) {
  std::map<std::size_t, std::vector<std::string>> by_length;
  for (const std::string& metric : evaluations.front().metrics) {
    by_length[length_of(metric)].push_back(metric);
  }
  std::string out =
      "<h3>All metrics</h3>\n<p>Means over the judged people; the best of a row is bold. Coverage, "
      "novelty and Gini describe the lists and have no best.</p>\n<div class=\"grid wide\">\n";
  for (const auto& [length, metrics] : by_length) out += metric_table(evaluations, length, metrics);
  return out + "</div>\n";
}

}  // namespace

std::string quality_section(const Context& context) {
  const auto evaluations = context.input.evaluations;
  if (!context.input.too_few.empty()) {
    return fmt::format(
        "<section id=\"quality\"><h2>Quality</h2>\n<p>Too few to measure: {}.</p></section>\n",
        html::text(context.input.too_few));
  }
  if (evaluations.empty()) return {};
  const Evaluation& own = evaluations.front();
  std::string out = "<section id=\"quality\"><h2>Quality</h2>\n";
  out += fmt::format(
      "<p>Measured on ratings that the model has not seen, over {}. An item counts as relevant if "
      "<b>{}</b>. Items that a person rated overall in the training part are never recommended to "
      "them.</p>\n",
      html::counted(own.users.size(), "person with a relevant item", "people with a relevant item"),
      html::text(own.relevance));
  if (context.choice && !context.info.method.empty() && own.name != context.info.method) {
    out += fmt::format(
        "<p>The method <b>{}</b> found on a part held back that <b>{}</b> does best here, so that "
        "is "
        "what it stands for.</p>\n",
        html::text(own.name), html::text(context.info.method));
  }
  return out + charts(context) + differences(context) + metric_tables(evaluations) + "</section>\n";
}

}  // namespace palate::cli
