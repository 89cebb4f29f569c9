#include "io/bad_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "palate/error.hpp"

namespace palate::io {

void BadRows::add(BadRow row) {
  constexpr std::size_t shown_rows = 100;
  Where where{row.file, row.line, row.column, row.field};
  if (strict_) throw Error(ErrorCode::bad_input, row.reason, std::move(where));
  if (++report_.bad_rows > most_) {
    throw Error(ErrorCode::bad_input,
                fmt::format("more than {} bad rows; the last one here: {}", most_, row.reason),
                std::move(where), "correct the file or raise the limit of bad rows");
  }
  if (report_.first_bad_rows.size() < shown_rows) report_.first_bad_rows.push_back(std::move(row));
}

void BadRows::add(const std::string& file, const RowReader& table, const Row& row, int column,
                  std::string reason) {
  BadRow bad{file, row.line, column + 1, {}, std::move(reason)};
  if (column >= 0) bad.field = table.columns()[static_cast<std::size_t>(column)].name;
  add(std::move(bad));
}

}  // namespace palate::io
