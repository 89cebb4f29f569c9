// Rows that cannot be used: thrown, or set aside and counted.
#pragma once

#include <string>

#include "io/row_reader.hpp"
#include "palate/io.hpp"

namespace palate::io {

class BadRows {
 public:
  BadRows(const ReadOptions& options, ImportReport& report)
      : strict_(options.strict), most_(options.max_bad_rows), report_(report) {}

  /// Throws Error{bad_input} if rows must not be bad, or if there are too many by now.
  void add(BadRow row);
  /// A problem of one field; `column` counts from 0, -1 for the whole row.
  void add(const std::string& file, const RowReader& table, const Row& row, int column,
           std::string reason);

 private:
  bool strict_;
  std::size_t most_;
  ImportReport& report_;
};

}  // namespace palate::io
