// What was rated: histograms, gaps, the long tail, and what the reader did.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "html.hpp"
#include "sections.hpp"
#include "server/service/statistics.hpp"
#include "svg.hpp"

namespace palate::cli {
namespace {

constexpr std::size_t most_bars = 12;
using server::Distribution;

std::string histogram(const Criterion& criterion, std::size_t index, const Distribution& column,
                      std::size_t total) {
  constexpr double width = 170, height = 112, floor = 92, roof = 8;
  const std::size_t bars = column.bars.size();
  std::size_t highest = 1;
  for (const Distribution::Bar& bin : column.bars) highest = std::max(highest, bin.count);
  Svg svg(width, height,
          fmt::format("Histogram of {}: {}, mean {}", criterion.name,
                      html::counted(total, "rating", "ratings"), html::fixed(column.mean, 2)));
  const double step = (width - 8) / static_cast<double>(std::max<std::size_t>(bars, 1));
  const std::size_t every = bars > 6 ? 2 : 1;
  for (std::size_t b = 0; b < bars; ++b) {
    const Distribution::Bar& bin = column.bars[b];
    const double x = 4 + step * static_cast<double>(b);
    const double share = static_cast<double>(bin.count) / static_cast<double>(highest);
    const double top = floor - share * (floor - roof);
    const std::string label = bin.from == bin.to
                                  ? html::plain(bin.from)
                                  : html::plain(bin.from) + "\u2013" + html::plain(bin.to);
    svg.rect(x + step * 0.08, top, step * 0.84, floor - top, html::colour_class(index) + " fill",
             fmt::format("{}: {}", label, html::counted(bin.count, "rating", "ratings")));
    if (b % every == 0) svg.text(x + step / 2, floor + 14, html::plain(bin.from), Anchor::middle);
  }
  svg.line(4, floor, width - 4, floor, "axis");
  return svg.str();
}

std::string histograms(const Ratings& ratings) {
  std::string out = "<h3>How each criterion was rated</h3>\n<div class=\"grid small\">\n";
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    const Criterion& criterion = ratings.criteria()[c];
    const Distribution column = server::distribution(ratings, c, most_bars);
    out += fmt::format("<figure class=\"card\"><figcaption><b>{}</b>",
                       html::criterion_key(c, criterion.name));
    if (column.bars.empty()) {
      out += "</figcaption><p>Nobody rated it.</p></figure>\n";
      continue;
    }
    out +=
        fmt::format("<span>mean {} on {} to {}</span></figcaption>\n", html::fixed(column.mean, 2),
                    html::plain(criterion.min), html::plain(criterion.max));
    out += histogram(criterion, c, column, ratings.ratings_of(c)) + "</figure>\n";
  }
  return out + "</div>\n";
}

std::string missing_table(const Ratings& ratings) {
  std::string out =
      "<div class=\"card\"><h3>What was left out</h3>\n<div class=\"scroll\"><table "
      "class=\"bars\"><caption>Share of "
      "pairs of "
      "person and item without a rating on the criterion. A missing rating counts as absent, not "
      "as "
      "0.</caption>\n<thead><tr><th scope=\"col\">Criterion</th><th "
      "scope=\"col\">Missing</th><td></td>"
      "</tr></thead>\n<tbody>\n";
  const auto pairs = static_cast<double>(ratings.interactions());
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    const double share = pairs > 0 ? 1 - static_cast<double>(ratings.ratings_of(c)) / pairs : 0;
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"track\"><span class=\"{} "
        "fill\" "
        "style=\"width:{:.1f}%\"></span></td></tr>\n",
        html::criterion_key(c, ratings.criteria()[c].name), html::percent(share),
        html::colour_class(c), std::clamp(share, 0.0, 1.0) * 100);
  }
  return out + "</tbody></table></div></div>\n";
}

std::vector<std::size_t> popularity(const Ratings& ratings) {
  std::vector<std::size_t> counts(ratings.items(), 0);
  for (std::uint32_t u = 0; u < ratings.users(); ++u) {
    for (const std::uint32_t item : ratings.of(u).items) ++counts[item];
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

std::string tail_plot(const std::vector<std::size_t>& counts, bool logarithmic) {
  constexpr double width = 360, height = 210, left = 40, right = 352, roof = 28, floor = 186;
  const auto most = static_cast<double>(counts.front());
  const auto level = [&](double n) { return logarithmic ? std::log10(n + 1) : n; };
  const Scale x{0, static_cast<double>(counts.size()), left, right};
  const Scale y{0, level(most), floor, roof};
  Svg svg(width, height,
          fmt::format("Ratings per item from the most to the least rated: {} at most, {} at least",
                      html::count(counts.front()), html::count(counts.back())));
  std::vector<double> ticks;
  if (logarithmic) {
    for (double t = 1; t <= most; t *= 10) ticks.push_back(t);
  } else {
    ticks = round_ticks(0, most, 4);
  }
  for (const double tick : ticks) {
    svg.line(left, y(level(tick)), right, y(level(tick)), "rule");
    svg.text(left - 6, y(level(tick)) + 4, html::count(static_cast<std::size_t>(tick)),
             Anchor::end);
  }
  constexpr std::size_t steps = 180;
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k <= steps; ++k) {
    const std::size_t at = std::min(counts.size() - 1, k * counts.size() / steps);
    const double share = static_cast<double>(k) / steps * static_cast<double>(counts.size());
    points.emplace_back(x(share), y(level(static_cast<double>(counts[at]))));
  }
  svg.area(points, floor, "wash");
  svg.curve(points, "stroke accent");
  svg.line(left, floor, right, floor, "axis");
  svg.text(left, floor + 16, "most rated item");
  svg.text(right, floor + 16, "least rated", Anchor::end);
  svg.text(left - 38, 12, logarithmic ? "ratings per item, logarithmic scale" : "ratings per item");
  return svg.str();
}

std::string long_tail(const Ratings& ratings) {
  const std::vector<std::size_t> counts = popularity(ratings);
  if (counts.empty() || counts.front() == 0) return {};
  const std::size_t head = std::max<std::size_t>(1, counts.size() / 5);
  const auto in_head = std::accumulate(
      counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(head), std::size_t{0});
  const auto rare = static_cast<std::size_t>(
      std::count_if(counts.begin(), counts.end(), [](std::size_t n) { return n <= 1; }));
  const std::size_t middle = std::max<std::size_t>(1, counts[counts.size() / 2]);
  std::string out = "<figure class=\"card\"><h3>The long tail</h3>\n";
  out += tail_plot(counts, counts.front() > 30 * middle);
  out += fmt::format(
      "<figcaption>The most rated fifth of the items holds {} of the ratings. {} at most "
      "one "
      "rating.</figcaption></figure>\n",
      html::percent(static_cast<double>(in_head) / static_cast<double>(ratings.interactions())),
      rare == 0 ? "No item has" : html::counted(rare, "item has", "items have"));
  return out;
}

void row(std::string& out, std::string_view term, const std::string& value) {
  if (!value.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, value);
}

std::string bad_rows(const ImportReport& report) {
  constexpr std::size_t shown = 8;
  if (report.first_bad_rows.empty()) return {};
  std::string out = fmt::format(
      "<div class=\"scroll\"><table><caption>The first rows set aside ({} in all)</caption>\n{}",
      html::count(report.bad_rows),
      html::table_head({{"File"}, {"Line", true}, {"Column"}, {"Reason"}}));
  for (std::size_t k = 0; k < std::min(shown, report.first_bad_rows.size()); ++k) {
    const BadRow& bad = report.first_bad_rows[k];
    const std::string column = !bad.field.empty() ? html::name(bad.field)
                               : bad.column > 0   ? fmt::format("{}", bad.column)
                                                  : std::string("whole row");
    out += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>\n",
                       html::name(bad.file), bad.line, column, html::text(bad.reason));
  }
  return out + "</tbody></table></div>\n";
}

std::string import_summary(const ImportReport& report) {
  const auto names = [](const std::vector<std::string>& raw) {
    std::vector<std::string> out;
    for (const std::string& name : raw) out.push_back(html::name(name));
    return html::listed(out);
  };
  std::string out = "<div class=\"card\"><h3>How the file was read</h3>\n<dl class=\"facts\">\n";
  row(out, "Source", names(report.files));
  row(out, "Format", html::text(report.format));
  std::vector<std::string> columns;
  for (const std::string* name :
       {&report.user_column, &report.item_column, &report.title_column, &report.time_column}) {
    if (!name->empty()) columns.push_back(*name);
  }
  columns.insert(columns.end(), report.criterion_columns.begin(), report.criterion_columns.end());
  row(out, report.guessed ? "Columns (some guessed)" : "Columns", names(columns));
  std::vector<std::string> ignored;
  for (const IgnoredColumn& column : report.ignored_columns) ignored.push_back(column.name);
  row(out, "Ignored columns", names(ignored));
  row(out, "Rows",
      fmt::format("{} read, {} kept", html::count(report.rows), html::count(report.kept)));
  row(out, "Repeated pairs",
      report.duplicates == 0
          ? std::string("none")
          : fmt::format("{}; {}", html::count(report.duplicates), report.duplicates_text()));
  row(out, "Missing", html::text(report.missing_rule));
  row(out, "Bad rows",
      report.bad_rows == 0 ? std::string("none")
                           : fmt::format("{} set aside", html::count(report.bad_rows)));
  for (const std::string& advice : report.advice) row(out, "Advice", html::text(advice));
  for (const std::string& note : report.notes) row(out, "Note", html::text(note));
  return out + "</dl>\n" + bad_rows(report) + "</div>\n";
}

std::string figure(std::string_view value, std::string_view label, std::string_view note) {
  return fmt::format(
      "<div class=\"figure\"><dt>{}</dt><dd>{}</dd>{}</div>\n", label, value,
      note.empty() ? std::string() : fmt::format("<dd class=\"note\">{}</dd>", note));
}

std::string figures(const Ratings& ratings) {
  std::size_t values = 0;
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) values += ratings.ratings_of(c);
  const double cells = static_cast<double>(ratings.users()) * static_cast<double>(ratings.items());
  const double density = cells > 0 ? static_cast<double>(ratings.interactions()) / cells : 0;
  std::string out = "<dl class=\"figures\">\n";
  out += figure(html::count(ratings.users()), "People", "");
  out += figure(html::count(ratings.items()), "Items", "");
  out +=
      figure(html::count(values), "Ratings",
             fmt::format("of {}", html::counted(ratings.interactions(), "pair of person and item",
                                                "pairs of person and item")));
  out += figure(html::count(ratings.criteria().size()), "Criteria", "overall included");
  out += figure(html::percent(density), "Density", "of all pairs of person and item");
  return out + "</dl>\n";
}

}  // namespace

std::string data_section(const Context& context) {
  const Ratings& ratings = *context.input.ratings;
  std::string out = "<section id=\"data\"><h2>Data</h2>\n";
  if (context.input.test != nullptr) {
    out += fmt::format(
        "<p>The figures describe the part that the model was fitted on. A further {} set aside to "
        "measure it.</p>\n",
        html::counted(context.input.test->interactions(), "pair of person and item was",
                      "pairs of person and item were"));
  }
  out += figures(ratings) + histograms(ratings);
  out += "<div class=\"grid wide\">\n" + missing_table(ratings) + long_tail(ratings);
  if (context.input.import != nullptr) out += import_summary(*context.input.import);
  return out + "</div>\n</section>\n";
}

}  // namespace palate::cli
