// ImportReport::text.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/counted.hpp"
#include "palate/error.hpp"
#include "palate/io.hpp"

namespace palate {
std::string ImportReport::duplicates_text() const {
  const bool timed = !time_column.empty();
  switch (duplicates_rule) {
    case Duplicates::last:
      return timed ? "the newest counts" : "the last row counts";
    case Duplicates::first:
      return timed ? "the oldest counts" : "the first row counts";
    case Duplicates::mean:
      return "the mean counts";
    case Duplicates::error:
      break;
  }
  return "an error";
}

std::string ImportReport::text() const {
  std::string out;
  const auto line = [&out](std::string_view label, std::string_view value) {
    if (!value.empty()) fmt::format_to(std::back_inserter(out), "  {:<11} {}\n", label, value);
  };
  fmt::format_to(std::back_inserter(out), "{} ({})\n", fmt::join(files, ", "), format);
  if (!user_column.empty()) {
    line("columns", guessed ? "guessed" : "as named");
  }
  line("user", user_column);
  line("item", item_column);
  line("title", title_column);
  line("time", time_column);
  if (!criterion_columns.empty()) line("overall", criterion_columns.front());
  if (criterion_columns.size() > 1) {
    line("criteria", fmt::format("{}", fmt::join(criterion_columns.begin() + 1,
                                                 criterion_columns.end(), ", ")));
  }
  std::string_view label = "ignored";
  for (const IgnoredColumn& column : ignored_columns) {
    line(label,
         fmt::format("{}: {}", column.name.empty() ? "(no name)" : column.name, column.reason));
    label = "";
  }
  line("rows", fmt::format("{} read, {} kept", grouped(rows),
                           counted(kept, "(user, item) pair", "(user, item) pairs")));
  line("duplicates",
       duplicates == 0
           ? std::string("none")
           : fmt::format("{} a (user, item) pair: {}",
                         counted(duplicates, "row repeats", "rows repeat"), duplicates_text()));
  line("not rated", fmt::format("{} (found: {} empty, {} zero)", missing_rule,
                                grouped(empty_as_missing), grouped(zeros_as_missing)));
  if (bad_rows == 0) {
    line("bad rows", "none");
  } else {
    line("bad rows", grouped(bad_rows) + " set aside");
    constexpr std::size_t most = 5;
    for (std::size_t k = 0; k < std::min(most, first_bad_rows.size()); ++k) {
      const BadRow& row = first_bad_rows[k];
      line("", fmt::format("{}: {}", Where{row.file, row.line, row.column, row.field}.text(),
                           row.reason));
    }
    if (bad_rows > most) line("", fmt::format("and {} more", grouped(bad_rows - most)));
  }
  for (const std::string& sentence : advice) line("advice", sentence);
  for (const std::string& note : notes) line("note", note);
  return out;
}

}  // namespace palate
