// UTF-8: whether a text is, its characters, and how to show a piece of it in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace palate {

/// As RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool valid_utf8(std::string_view text) noexcept;

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: there is no valid one
};
/// What the text begins with.
[[nodiscard]] Character first_character(std::string_view text) noexcept;

/// The text in double quotes, cut to about 30 bytes at a character's border, with control and
/// invalid bytes replaced by '?'.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace palate
