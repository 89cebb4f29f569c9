#include "io/named_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "io/column_names.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {
namespace {

/// By letters exchanged, added or left out.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({exchanged, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The candidate nearest to `name`, or "" if none is near.
std::string nearest(std::string_view name, const std::vector<Column>& candidates) {
  const std::string wanted = lowered(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  for (const auto& [candidate, type] : candidates) {
    if (candidate.empty() || candidate.size() > 200 || wanted.size() > 200) continue;
    const std::size_t d = distance(wanted, lowered(candidate));
    if (d < best_distance && d < std::max(wanted.size(), candidate.size())) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

int find_named(const Table& table, const std::string& wanted, const std::string& option) {
  const std::vector<Column>& columns = table.rows->columns();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Column& column = columns[k];
    if (column.name == wanted || (table.typed && column.name + ":" + column.type == wanted)) {
      return static_cast<int>(k);
    }
  }
  const std::string near = nearest(wanted, columns);
  throw Error(ErrorCode::usage,
              fmt::format("there is no column '{}' (asked for with {}); there are: {}", wanted,
                          option, listed(columns)),
              {table.source->name()}, near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

ItemColumns plan_item_columns(const Table& table, const ReadOptions& options) {
  const std::vector<Column>& columns = table.rows->columns();
  ItemColumns out;
  if (!options.items_id.empty())
    out.id = find_named(table, options.items_id, options.names.items_id);
  if (!options.items_title.empty()) {
    out.title = find_named(table, options.items_title, options.names.items_title);
  }
  const auto best = [&](ColumnRole role, int taken) {
    return best_of(columns, [&](std::size_t k) {
      if (static_cast<int>(k) == taken) return 0;
      if (role == ColumnRole::item && lowered(columns[k].name) == "id") return 250;
      return column_fit(role, columns[k].name);
    });
  };
  if (out.id < 0) out.id = best(ColumnRole::item, out.title);
  if (out.title < 0) out.title = best(ColumnRole::title, out.id);
  if (out.id < 0 || out.title < 0) {
    throw Error(ErrorCode::bad_input,
                fmt::format("no column is known to hold the items' {}; there are: {}",
                            out.id < 0 ? "ids" : "titles", listed(columns)),
                {table.source->name()},
                fmt::format("name it with {}",
                            out.id < 0 ? options.names.items_id : options.names.items_title));
  }
  return out;
}

std::string listed(const std::vector<Column>& columns) {
  constexpr std::size_t most = 40;
  std::string out;
  for (std::size_t k = 0; k < columns.size() && k < most; ++k) {
    if (k > 0) out += ", ";
    out += columns[k].name.empty() ? "(no name)" : columns[k].name;
  }
  if (columns.size() > most) out += fmt::format(" and {} more", columns.size() - most);
  return out;
}

}  // namespace palate::io
