// JSON lines: one object a line. An object within it ("ratings": {"service": 4}) is read as if its
// entries stood outside.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/row_reader.hpp"
#include "io/source.hpp"

namespace palate::io {

class JsonlReader final : public RowReader {
 public:
  /// The columns are the keys of the first rows; if one of `wanted` is not among them, of all rows.
  JsonlReader(const Source& source, std::span<const std::string> wanted);

  [[nodiscard]] const std::vector<Column>& columns() const noexcept override { return columns_; }
  bool next(Row& row) override;
  void rewind() override;
  void seek(std::uint64_t position) override;
  [[nodiscard]] std::uint64_t position() const noexcept override { return position_; }
  [[nodiscard]] std::vector<std::string> notes() const override;

 private:
  class Handler;

  bool next_line(std::string_view& line, std::int64_t& number);
  void collect_columns(std::size_t most_rows);

  const Source& source_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, std::size_t> by_path_;  // such as "ratings.service"
  std::vector<std::string> late_keys_;  // first seen after the sample, hence not read
  std::size_t position_ = 0;
  std::int64_t line_ = 0;
  std::vector<std::string> texts_;
  std::vector<std::string_view> fields_;
};

}  // namespace palate::io
