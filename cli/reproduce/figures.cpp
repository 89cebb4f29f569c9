// From cells to drawings.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "report/chart.hpp"
#include "reproduce/document.hpp"
#include "reproduce/published.hpp"

namespace palate::cli::reproduce {
namespace {

constexpr std::string_view metric = "recall@10";

// Results of one part of one data set: (what, result).
std::vector<std::pair<std::string, Json>> results_of(const Results& results,
                                                     const std::string& data, Part part) {
  const std::string begin = fmt::format("{}.{}.", data, name_of(part));
  std::vector<std::pair<std::string, Json>> out;
  for (auto at = results.lower_bound(begin); at != results.end() && at->first.starts_with(begin);
       ++at) {
    out.emplace_back(at->first.substr(begin.size()), at->second);
  }
  return out;
}

double recall(const Json& result) { return result["metrics"][metric].get<double>(); }

// One for each filter; "L", "I" and "O" begin the name of a result.
std::vector<Series> by_filter() { return {{"linear", {}}, {"inward", {}}, {"outward", {}}}; }
std::size_t filter_place(char letter) { return letter == 'L' ? 0 : letter == 'I' ? 1 : 2; }

Figure filters_figure(const Results& results, const std::string& data) {
  Axis x{.title = "criterion whose filter is exchanged"};
  std::vector<Series> series = by_filter();
  for (const auto& [what, result] : results_of(results, data, Part::filters)) {
    const std::size_t dash = what.rfind('-');
    const std::string criterion = what.substr(0, dash);
    auto at = std::find(x.categories.begin(), x.categories.end(), criterion);
    if (at == x.categories.end()) at = x.categories.insert(at, criterion);
    series[filter_place(what[dash + 1])].points.emplace_back(at - x.categories.begin(),
                                                             recall(result));
  }
  if (x.categories.empty()) return {};
  return {fmt::format("{}-filters", data),
          fmt::format("{}: Recall@10 of CA-GF with each filter on each criterion, the rest as "
                      "published.",
                      data),
          line_chart(fmt::format("Recall@10 by filter and criterion on {}", data), x,
                     {.title = "Recall@10"}, series)};
}

Figure powers_figure(const Results& results, const std::string& data) {
  std::vector<Series> series = by_filter();
  for (const auto& [what, result] : results_of(results, data, Part::powers)) {
    double power = 0;
    std::from_chars(what.data() + 2, what.data() + what.size(), power);
    series[filter_place(what[0])].points.emplace_back(power, recall(result));
  }
  std::erase_if(series, [](const Series& one) { return one.points.empty(); });
  if (series.empty()) return {};
  return {fmt::format("{}-powers", data),
          fmt::format("{}: Recall@10 of CA-GF against the power s of each kind of filter, the rest "
                      "as published.",
                      data),
          line_chart(fmt::format("Recall@10 against the power of a filter on {}", data),
                     {.title = "power s"}, {.title = "Recall@10"}, series)};
}

Figure map_figure(const std::string& data, const std::string& what, const Json& result) {
  const std::size_t dash = what.find('-');
  const std::string user = what.substr(0, dash);
  const std::string item = what.substr(dash + 1);
  Figure out{
      fmt::format("{}-map-{}", data, what),
      fmt::format("{}: what the ratings of user {} add to the score of item {}.", data, user, item),
      {}};
  if (result.contains("missing")) {
    out.caption += " Not drawn: " + result["missing"].get<std::string>() + ".";
    return out;
  }
  struct Line {
    std::string item;
    std::vector<double> values;
    double sum = 0;
  };
  std::vector<Line> lines;
  for (const Json& row : result["rows"]) {
    lines.push_back({"item " + row["item"].get<std::string>(), row["values"]});
    for (const double value : lines.back().values) lines.back().sum += value;
  }
  constexpr std::size_t most = 15;
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.sum > b.sum; });
  if (lines.size() > most) {
    out.caption += fmt::format(" The {} of {} rated items that add most.", most, lines.size());
    lines.resize(most);
  }
  std::vector<std::string> rows;
  std::vector<std::vector<double>> values;
  for (Line& line : lines) {
    rows.push_back(std::move(line.item));
    values.push_back(std::move(line.values));
  }
  const std::vector<std::string> columns = result["criteria"];
  out.svg = heat_grid(out.caption, rows, columns, values);
  return out;
}

}  // namespace

std::vector<Figure> figures(const Results& results, const std::string& data) {
  std::vector<Figure> out = {filters_figure(results, data), powers_figure(results, data)};
  for (const auto& [what, result] : results_of(results, data, Part::maps)) {
    out.push_back(map_figure(data, what, result));
  }
  std::erase_if(out, [](const Figure& figure) { return figure.name.empty(); });
  return out;
}

std::vector<Figure> scaling_figure(const Results& results) {
  Series fit{"fit", {}};
  Series lists{"lists", {}};
  for (const ScalingSize& size : scaling_sizes()) {
    const auto found = results.find(fmt::format("{}.scaling.ca-gf", size.name));
    if (found == results.end()) continue;
    const double ratings = found->second["ratings"];
    fit.points.emplace_back(ratings, found->second["seconds"]["fit"]);
    lists.points.emplace_back(ratings, found->second["seconds"]["lists"]);
  }
  if (fit.points.empty()) return {};
  return {{"scaling",
           "Seconds of CA-GF against the number of ratings: fit, and lists of ten for "
           "everybody.",
           line_chart("Run time of CA-GF against the number of ratings",
                      {.title = "ratings on all criteria", .logarithmic = true},
                      {.title = "seconds", .logarithmic = true}, std::vector{fit, lists})}};
}

}  // namespace palate::cli::reproduce
