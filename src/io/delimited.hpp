// CSV, TSV and .inter: fields between delimiters, RFC 4180 quoting.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/mark_finder.hpp"
#include "io/row_reader.hpp"
#include "io/source.hpp"

namespace palate::io {

enum class Quoting {
  rfc4180,  ///< "a ""quoted"" field"; spaces around an unquoted field are not part of it
  none,     ///< a quote is a character like any other (.inter)
};

/// Cuts text into records without copying it, but for fields with doubled quotes.
class RecordScanner {
 public:
  RecordScanner(std::string_view text, char delimiter, Quoting quoting);

  /// Blank lines are passed over. False at the end.
  bool next(std::vector<std::string_view>& fields);

  /// Physical line where the last record starts, from 1.
  [[nodiscard]] std::int64_t line() const noexcept { return record_line_; }
  /// 1-based field of the last record with text after its closing quote; 0: none.
  [[nodiscard]] int stray_field() const noexcept { return stray_field_; }
  /// Whether the text ended within quotes.
  [[nodiscard]] bool cut_off() const noexcept { return cut_off_; }
  [[nodiscard]] const char* position() const noexcept { return p_; }

 private:
  std::string_view unquoted_field();
  std::string_view quoted_field(int number);

  const char* p_;
  const char* end_;
  MarkFinder marks_;
  char delimiter_;
  Quoting quoting_;
  std::int64_t line_ = 1;
  std::int64_t record_line_ = 0;
  int stray_field_ = 0;
  bool cut_off_ = false;
  std::deque<std::string> unescaped_;  // a deque: fields point into its strings
};

/// The one that a first line "sep=;" names, as Excel writes it; 0 without such a line.
[[nodiscard]] char named_delimiter(std::string_view text);

/// The one of , ; tab | that cuts the first lines most evenly.
[[nodiscard]] char guess_delimiter(std::string_view text);

class DelimitedReader final : public RowReader {
 public:
  /// `typed`: the header's names carry types, "user_id:token". Throws Error{bad_input} for a
  /// header that cannot be one, whose hint names `delimiter_option`.
  DelimitedReader(const Source& source, char delimiter, Quoting quoting, bool typed,
                  const std::string& delimiter_option);

  [[nodiscard]] const std::vector<Column>& columns() const noexcept override { return columns_; }
  bool next(Row& row) override;
  void rewind() override {
    scanner_ = first_row_;
    sought_ = false;
  }
  void seek(std::uint64_t position) override;
  [[nodiscard]] std::uint64_t position() const noexcept override;
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

 private:
  void read_header(bool typed, const std::string& delimiter_option);
  [[noreturn]] void fail_cut_off() const;

  const Source& source_;
  RecordScanner scanner_;
  RecordScanner first_row_;
  char delimiter_;
  Quoting quoting_;
  bool sought_ = false;
  std::vector<Column> columns_;
  std::vector<std::string_view> fields_;
};

}  // namespace palate::io
