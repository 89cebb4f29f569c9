// One score taken apart: rated item x criterion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

constexpr std::size_t rows_shown = 12;

struct Cell {
  double value = 0;
  std::optional<double> rating;  // as given, whether or not the model makes anything of it
};

struct Row {
  std::string title;
  std::vector<Cell> cells;
  double sum = 0;
};

// An explanation leaves out ratings that add nothing; they were given all the same.
void fill_ratings(const Ratings& ratings, std::uint32_t user, std::uint32_t item, Row& row) {
  const UserRatings own = ratings.of(user);
  const auto at = std::lower_bound(own.items.begin(), own.items.end(), item);
  if (at == own.items.end() || *at != item) return;
  const auto k = static_cast<std::size_t>(at - own.items.begin());
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    if ((own.present[k] >> c & 1U) == 0) continue;
    row.cells[c].rating = own.values[k * row.cells.size() + c];
  }
}

std::vector<Row> rows_of(const Ratings& ratings, const Explanation& why) {
  std::map<std::uint32_t, Row> by_item;
  for (const Explanation::Part& part : why.parts) {
    if (part.criterion >= why.criteria.size() || !std::isfinite(part.value)) continue;
    Row& row = by_item[part.index];
    row.title = part.title.empty() ? part.item : part.title;
    row.cells.resize(why.criteria.size());
    Cell& cell = row.cells[part.criterion];
    cell.value += part.value;
    row.sum += part.value;
  }
  const std::optional<std::uint32_t> user = ratings.find_user(why.user);
  std::vector<Row> rows;
  for (auto& [index, row] : by_item) {
    if (user) fill_ratings(ratings, *user, index, row);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return std::abs(a.sum) > std::abs(b.sum); });
  return rows;
}

// The rows beyond the first few, as one.
Row remainder(const std::vector<Row>& rows, std::size_t criteria) {
  Row rest;
  rest.cells.resize(criteria);
  for (std::size_t k = rows_shown; k < rows.size(); ++k) {
    for (std::size_t c = 0; c < criteria; ++c) rest.cells[c].value += rows[k].cells[c].value;
    rest.sum += rows[k].sum;
  }
  rest.title = html::counted(rows.size() - rows_shown, "further item", "further items");
  return rest;
}

std::string cell_html(const Cell& cell, double strongest, double score) {
  if (!cell.rating) return "<td class=\"n quiet\">not rated</td>";
  const double strength = strongest > 0 ? std::min(1.0, std::abs(cell.value) / strongest) : 0;
  return fmt::format(
      "<td class=\"n heat{}\" style=\"--heat:{:.0f}%\">{}<small>rated {}</small></td>",
      cell.value < 0 ? " minus" : "", strength * 48, html::share(cell.value, score),
      html::plain(*cell.rating));
}

std::string sum_row(std::string_view css_class, std::string_view title, const Row& row,
                    double score) {
  std::string out = fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th>", css_class, title);
  for (const Cell& cell : row.cells) {
    out += fmt::format("<td class=\"n\">{}</td>", html::share(cell.value, score));
  }
  return out + fmt::format("<td class=\"n\"><b>{}</b></td></tr>\n", html::share(row.sum, score));
}

std::string heat_table(const Explanation& why, const std::vector<Row>& rows) {
  const std::size_t criteria = why.criteria.size();
  double strongest = 0;
  for (const Row& row : rows) {
    for (const Cell& cell : row.cells) strongest = std::max(strongest, std::abs(cell.value));
  }
  std::string out =
      "<div class=\"card scroll\"><table class=\"map\"><caption>Which share of the score each "
      "rating "
      "adds</caption>\n<thead><tr><th "
      "scope=\"col\">Rated item</th>";
  for (std::size_t c = 0; c < criteria; ++c) {
    out += fmt::format("<th scope=\"col\" class=\"n\">{}</th>",
                       html::criterion_key(c, why.criteria[c]));
  }
  out += "<th scope=\"col\" class=\"n\">Sum</th></tr></thead>\n<tbody>\n";
  for (std::size_t k = 0; k < std::min(rows_shown, rows.size()); ++k) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", html::name(rows[k].title));
    for (const Cell& cell : rows[k].cells) out += cell_html(cell, strongest, why.score);
    out +=
        fmt::format("<td class=\"n\"><b>{}</b></td></tr>\n", html::share(rows[k].sum, why.score));
  }
  if (rows.size() > rows_shown) {
    const Row rest = remainder(rows, criteria);
    out += sum_row("rest", rest.title, rest, why.score);
  }
  out += "</tbody>\n<tfoot>\n";
  Row total;
  total.cells.resize(criteria);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < criteria; ++c) total.cells[c].value += row.cells[c].value;
    total.sum += row.sum;
  }
  out += sum_row("total", "All ratings", total, why.score);
  return out + "</tfoot></table></div>\n";
}

}  // namespace

std::string heat_map_section(const Context& context) {
  const auto person = std::find_if(
      context.people.begin(), context.people.end(),
      [](const Person& p) { return p.basis == Basis::ratings && !p.candidates.empty(); });
  if (person == context.people.end()) return {};
  Explanation why;
  try {
    why = context.input.model->explain(person->id, person->candidates.front().item);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return {};
  }
  const std::vector<Row> rows = rows_of(*context.input.ratings, why);
  if (rows.empty()) return {};
  std::string out = "<section id=\"why\"><h2>Why this one?</h2>\n";
  out += fmt::format(
      "<p>User {} is offered <b>{}</b> first. Every rating that this person gave has its share in "
      "the score, and the shares add up to it{}. The stronger the colour, the larger the share; "
      "hatched cells speak against it.</p>\n",
      html::name(why.user), html::name(why.title.empty() ? why.item : why.title),
      why.baseline == 0 ? std::string()
                        : fmt::format(", together with {} that is not due to ratings",
                                      html::share(why.baseline, why.score)));
  for (const std::string& note : why.notes) {
    out += fmt::format("<p>Note: {}.</p>\n", html::text(note));
  }
  return out + heat_table(why, rows) + "</section>\n";
}

}  // namespace palate::cli
