// Text on its way to a file, compressed if the name ends in ".gz".
#pragma once

#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/atomic_file.hpp"

struct z_stream_s;

namespace palate::io {

class TextSink {
 public:
  explicit TextSink(const std::filesystem::path& path);

  void put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= block) flush(false);
  }
  void put(char ch) { buffer_ += ch; }
  /// The shortest text that reads back as the same number.
  template <class Number>
  void put_number(Number value) {
    std::array<char, 32> digits;
    put({digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr});
  }
  /// All is written; the file appears under its name.
  void commit();

 private:
  static constexpr std::size_t block = std::size_t{1} << 20;
  struct End {
    void operator()(z_stream_s* stream) const noexcept;
  };
  void flush(bool last);

  AtomicFile file_;
  std::unique_ptr<z_stream_s, End> gzip_;  ///< null: not compressed
  std::string buffer_;
};

}  // namespace palate::io
