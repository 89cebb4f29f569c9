// A table, row by row, whatever its format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palate::io {

struct Column {
  std::string name;
  std::string type;  ///< as declared by an .inter header ("token", "float"); else empty
};

struct Row {
  std::int64_t line = 0;  ///< physical line where the row starts
  /// One per column; empty where absent. Valid until the next call of next(). Meaningless if there
  /// is a problem.
  std::span<const std::string_view> fields;
  std::string problem;  ///< why the row as a whole cannot be used; empty: it can
  int problem_column = 0;
};

class RowReader {
 public:
  RowReader() = default;
  virtual ~RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  [[nodiscard]] virtual const std::vector<Column>& columns() const noexcept = 0;
  /// False at the end. Throws Error{bad_input} if the file is cut off.
  virtual bool next(Row& row) = 0;
  /// Back to the first data row.
  virtual void rewind() = 0;
  /// To the first line that begins at or after this place in the text. It may lie within quotes,
  /// and lines are no longer counted, so this is for samples only; rewind() ends it.
  virtual void seek(std::uint64_t position) = 0;
  /// How much of the text is behind us, in bytes.
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;
  /// Sentences for the report, complete once every row was read.
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
};

}  // namespace palate::io
