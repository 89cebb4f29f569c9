// The head of the page: what it shows and how good that is, in plain words.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

// How the lists do, told so that nobody has to know a metric: by how many people find something.
std::string quality_sentence(const Context& context) {
  if (!context.input.too_few.empty()) {
    return " There are too few people to measure how good the lists are.";
  }
  const std::string metric = headline_metric(context, "hit_rate");
  if (metric.empty()) return {};
  const Evaluation& own = context.input.evaluations.front();
  const auto hit = own.mean.find(metric);
  if (hit == own.mean.end() || !std::isfinite(hit->second) || own.too_few()) return {};
  std::string out =
      fmt::format(" Of 100 people, {} find something they liked among {} recommendations",
                  html::fixed(100 * hit->second, 0), length_of(metric));
  for (const Evaluation& other : context.input.evaluations.subspan(1)) {
    const auto theirs = other.mean.find(metric);
    if (other.name != "popularity" || theirs == other.mean.end()) continue;
    out += fmt::format("; with a list of what is popular, {} do",
                       html::fixed(100 * theirs->second, 0));
  }
  return out + ".";
}

}  // namespace

std::string headline_metric(const Context& context, std::string_view family) {
  if (context.input.evaluations.empty()) return {};
  const Evaluation& own = context.input.evaluations.front();
  std::size_t best = 0;
  for (std::size_t m = 0; m < own.metrics.size(); ++m) {
    const std::string_view metric = own.metrics[m];
    if (metric.substr(0, metric.find('@')) != family) continue;
    if (m >= own.per_user.size() || own.per_user[m].size() != own.users.size()) continue;
    const std::size_t at = length_of(metric);
    if (at == 10) return own.metrics[m];
    best = std::max(best, at);
  }
  return best == 0 ? std::string() : fmt::format("{}@{}", family, best);
}

std::size_t length_of(std::string_view metric) {
  std::size_t at = 0;
  const std::size_t cut = metric.find('@');
  if (cut == std::string_view::npos) return 0;
  std::from_chars(metric.data() + cut + 1, metric.data() + metric.size(), at);
  return at;
}

std::string metric_title(std::string_view metric) {
  static constexpr std::pair<std::string_view, std::string_view> titles[] = {
      {"ndcg", "NDCG"},         {"ndcg_paper", "NDCG"},
      {"recall", "Recall"},     {"precision", "Precision"},
      {"hit_rate", "Hit rate"}, {"mrr", "MRR"},
      {"map", "MAP"},           {"coverage", "Coverage"},
      {"novelty", "Novelty"},   {"gini", "Gini"},
  };
  const std::size_t cut = std::min(metric.find('@'), metric.size());
  for (const auto& [name, title] : titles) {
    if (metric.substr(0, cut) != name) continue;
    return fmt::format("{}{}{}", title, html::text(metric.substr(cut)),
                       name == "ndcg_paper" ? " (paper)" : "");
  }
  return html::text(metric);
}

std::string header_section(const Context& context) {
  const Ratings& ratings = *context.input.ratings;
  std::vector<std::string> names;
  for (const Criterion& criterion : ratings.criteria()) names.push_back(html::name(criterion.name));
  std::string out = "<header class=\"top\">\n<p class=\"brand\">Palate report</p>\n";
  out += fmt::format(
      "<h1>{}</h1>\n",
      html::name(context.input.title.empty() ? "Multi-criteria ratings" : context.input.title));
  out += fmt::format(
      "<p class=\"lead\">{} rated {} on {}, and this page shows what Palate recommends to them, "
      "and why.{}</p>\n",
      html::counted(ratings.users(), "person", "people"),
      html::counted(ratings.items(), "item", "items"), html::listed(names),
      quality_sentence(context));
  return out + "</header>\n";
}

}  // namespace palate::cli
