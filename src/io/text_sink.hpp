// Text on its way to a file, compressed if the name ends in ".gz".
#pragma once

#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace palate::io {

class TextSink {
 public:
  explicit TextSink(const std::filesystem::path& path);
  ~TextSink();
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  void put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= block) flush();
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
  struct Output;
  void flush();

  std::string buffer_;
  std::unique_ptr<Output> output_;
};

}  // namespace palate::io
