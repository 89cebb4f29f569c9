// From the rows of a table to ratings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/columns.hpp"
#include "io/open_table.hpp"
#include "io/rating_rule.hpp"
#include "palate/io.hpp"

namespace palate::io {

/// Rows that cannot be used: thrown, or set aside and counted.
class BadRows {
 public:
  BadRows(const ReadOptions& options, ImportReport& report)
      : strict_(options.strict),
        most_(options.max_bad_rows),
        option_(options.names.max_bad_rows),
        report_(report) {}

  /// Throws Error{bad_input} if rows must not be bad, or if there are too many by now.
  void add(BadRow row);
  /// A problem of one field; `column` counts from 0, -1 for the whole row.
  void add(const std::string& file, const RowReader& table, const Row& row, int column,
           std::string reason);

 private:
  bool strict_;
  std::size_t most_;
  std::string option_;
  ImportReport& report_;
};

/// One row in terms of the plan. Views are valid until the table's next row.
struct RatedRow {
  std::string_view user, item, title;
  std::vector<float> values;  ///< one per criterion, NaN where absent
  std::optional<std::int64_t> time;
};

/// Turns rows into ratings, refuses those that cannot be used, and counts.
class RowConverter {
 public:
  RowConverter(const Table& table, const ColumnPlan& plan, const RatingRule& rule, BadRows& bad,
               ImportReport& report, const ReadOptionNames& names);

  /// The next row that can be used, or nothing at the end. Tells `run` of the progress.
  [[nodiscard]] const RatedRow* next(const RunOptions& run);
  /// A sentence about zeros that may have been ratings; empty if there is nothing to say.
  [[nodiscard]] std::string zeros_advice() const;

 private:
  bool convert(const Row& row);
  bool read_ids(const Row& row);
  bool read_ratings(const Row& row);
  bool read_time(const Row& row);
  void refuse(const Row& row, int column, std::string reason);
  [[nodiscard]] std::string too_high(std::string_view text) const;

  const Table& table_;
  const ColumnPlan& plan_;
  const RatingRule& rule_;
  BadRows& bad_;
  ImportReport& report_;
  const ReadOptionNames& names_;
  Row row_;
  RatedRow rated_;
  std::vector<std::size_t> zeros_, rated_cells_;  // per criterion
};

[[nodiscard]] Import read_npz_folder(const std::filesystem::path& path, const ReadOptions& options,
                                     const RunOptions& run);

}  // namespace palate::io
