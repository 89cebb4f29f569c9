// Small helpers for text out of a file.
#pragma once

#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace palate::io {

[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// ASCII letters only.
[[nodiscard]] inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& ch : out) {
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
  }
  return out;
}

}  // namespace palate::io
