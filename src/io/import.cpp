#include "io/import.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "io/progress.hpp"
#include "io/timestamps.hpp"
#include "io/utf8.hpp"
#include "palate/error.hpp"

namespace palate::io {

void BadRows::add(BadRow row) {
  constexpr std::size_t shown_rows = 100;
  Where where{row.file, row.line, row.column, row.field};
  if (strict_) throw Error(ErrorCode::bad_input, row.reason, std::move(where));
  if (++report_.bad_rows > most_) {
    throw Error(ErrorCode::bad_input,
                fmt::format("more than {} bad rows; the last one here: {}", most_, row.reason),
                std::move(where),
                fmt::format("correct that, or leave more rows out with {}", option_));
  }
  if (report_.first_bad_rows.size() < shown_rows) report_.first_bad_rows.push_back(std::move(row));
}

void BadRows::add(const std::string& file, const RowReader& table, const Row& row, int column,
                  std::string reason) {
  BadRow bad{file, row.line, column + 1, {}, std::move(reason)};
  if (column >= 0) bad.field = table.columns()[static_cast<std::size_t>(column)].name;
  add(std::move(bad));
}

RowConverter::RowConverter(const Table& table, const ColumnPlan& plan, const RatingRule& rule,
                           BadRows& bad, ImportReport& report, const ReadOptionNames& names)
    : table_(table),
      plan_(plan),
      rule_(rule),
      bad_(bad),
      report_(report),
      names_(names),
      zeros_(plan.ratings.size()),
      rated_cells_(plan.ratings.size()) {
  rated_.values.resize(plan.ratings.size());
}

const RatedRow* RowConverter::next(const RunOptions& run) {
  constexpr std::size_t rows_between_news = 8192;
  while (table_.rows->next(row_)) {
    if (report_.rows % rows_between_news == 0) {
      tell(run, table_.rows->position(), table_.source->text().size());
    }
    ++report_.rows;
    if (convert(row_)) return &rated_;
  }
  tell(run, table_.source->text().size(), table_.source->text().size());
  return nullptr;
}

void RowConverter::refuse(const Row& row, int column, std::string reason) {
  bad_.add(table_.source->name(), *table_.rows, row, column, std::move(reason));
}

bool RowConverter::convert(const Row& row) {
  if (!row.problem.empty()) {
    refuse(row, row.problem_column - 1, row.problem);
    return false;
  }
  return read_ids(row) && read_ratings(row) && read_time(row);
}

bool RowConverter::read_ids(const Row& row) {
  const auto text = [&](int column) {
    return column < 0 ? std::string_view{} : row.fields[static_cast<std::size_t>(column)];
  };
  rated_.user = text(plan_.user);
  rated_.item = text(plan_.item);
  rated_.title = text(plan_.title);
  if (rated_.user.empty()) {
    refuse(row, plan_.user, "empty user id");
    return false;
  }
  if (rated_.item.empty()) {
    refuse(row, plan_.item, "empty item id");
    return false;
  }
  if (!table_.source->valid_utf8()) {
    for (const int column : {plan_.user, plan_.item, plan_.title}) {
      if (column >= 0 && !valid_utf8(text(column))) {
        refuse(row, column,
               fmt::format("invalid UTF-8: {}; if the file is from Windows, convert it: iconv -f "
                           "windows-1252 -t utf-8 old > new",
                           shown(text(column))));
        return false;
      }
    }
  }
  return true;
}

std::string RowConverter::too_high(std::string_view text) const {
  return fmt::format("far above the other ratings of this column: {}; if it is one, say so with {}",
                     shown(text), names_.highest);
}

bool RowConverter::read_ratings(const Row& row) {
  bool any = false;
  std::size_t zeros = 0;
  std::size_t empty = 0;
  for (std::size_t c = 0; c < plan_.ratings.size(); ++c) {
    rated_.values[c] = std::numeric_limits<float>::quiet_NaN();
    const int column = plan_.ratings[c];
    if (column < 0) continue;
    const std::string_view text = row.fields[static_cast<std::size_t>(column)];
    const RatingCell cell = rule_.of(text);
    if (cell.kind == Cell::value && cell.value <= plan_.highest[c]) {
      rated_.values[c] = cell.value;
      ++rated_cells_[c];
      any = true;
    } else if (cell.kind == Cell::zero) {
      ++zeros_[c];
      ++zeros;
    } else if (cell.kind == Cell::empty) {
      ++empty;
    } else {
      refuse(row, column,
             cell.kind == Cell::value ? too_high(text) : rule_.reason(cell.kind, text));
      return false;
    }
  }
  report_.zeros_as_missing += zeros;
  report_.empty_as_missing += empty;
  if (!any) {
    refuse(row, -1,
           zeros == 0 ? "no rating in the row"
                      : fmt::format("no rating in the row: a 0 counts as \"not rated\" unless you "
                                    "say {}",
                                    names_.zero_is_a_rating));
  }
  return any;
}

std::string RowConverter::zeros_advice() const {
  std::vector<std::string> found;
  for (std::size_t c = 0; c < zeros_.size(); ++c) {
    const std::size_t all = zeros_[c] + rated_cells_[c];
    // Who rates nothing overall writes no row, so there a single 0 is worth a word.
    if (zeros_[c] == 0 || (c > 0 && zeros_[c] * 100 < all)) continue;
    found.push_back(fmt::format("{} {:.2g} %", plan_.criteria[c],
                                100.0 * static_cast<double>(zeros_[c]) / static_cast<double>(all)));
  }
  if (found.empty()) return {};
  return fmt::format(
      "a 0 counts as \"not rated\" ({}); if 0 is the lowest rating of the scale, say {}",
      fmt::join(found, ", "), names_.zero_is_a_rating);
}

bool RowConverter::read_time(const Row& row) {
  rated_.time.reset();
  if (plan_.time < 0) return true;
  const std::string_view text = row.fields[static_cast<std::size_t>(plan_.time)];
  rated_.time = parse_time(text);
  if (rated_.time || rule_.of(text).kind == Cell::empty) return true;
  refuse(row, plan_.time,
         fmt::format("not a time: {}; unix seconds or ISO 8601 are read", shown(text)));
  return false;
}

}  // namespace palate::io
