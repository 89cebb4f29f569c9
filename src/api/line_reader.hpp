// The lines of a text file, one at a time, gzip undone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace palate {

class LineReader {
 public:
  /// Throws Error{io} if the file cannot be opened.
  explicit LineReader(const std::filesystem::path& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end, valid until the next call; false after the last one. Throws
  /// Error{io} or, for a damaged gzip stream or an endless line, Error{bad_input}.
  bool next(std::string_view& line);
  [[nodiscard]] std::int64_t number() const { return number_; }  ///< of the last line, from 1
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  bool fill();

  struct File;
  std::string name_;
  std::unique_ptr<File> file_;
  std::string buffer_;
  std::size_t position_ = 0;
  bool ended_ = false;
  std::int64_t number_ = 0;
};

}  // namespace palate
