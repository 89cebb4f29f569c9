// The whole text of an input file in memory, gzip undone, from UTF-16 to UTF-8 where a mark says
// so, and certain to be text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/huge_buffer.hpp"
#include "palate/run.hpp"

namespace palate::io {

class Source {
 public:
  /// "-" is standard input. Throws Error{io} for a file that cannot be read, Error{bad_input} for
  /// one that is empty, binary, or a cut or damaged gzip stream, Error{too_large} beyond
  /// `max_bytes` (0: beyond memory).
  [[nodiscard]] static Source load(const std::filesystem::path& path, const RunOptions& run = {},
                                   std::size_t max_bytes = 0);
  /// Without text, for a table that lies elsewhere.
  [[nodiscard]] static Source none() { return {}; }

  /// Without a byte order mark. Valid while the source, or one it was moved to, lives.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  /// As given by the caller, for messages.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool gzip() const noexcept { return gzip_; }
  /// Whether all of the text is valid UTF-8; if not, rows must be looked at one by one.
  [[nodiscard]] bool valid_utf8() const noexcept { return valid_utf8_; }

 private:
  Source() = default;

  std::string name_;
  HugeBuffer<char> memory_;
  std::string_view text_;
  bool gzip_ = false;
  bool valid_utf8_ = false;
};

}  // namespace palate::io
