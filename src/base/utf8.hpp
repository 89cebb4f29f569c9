// Whether a text is UTF-8, and how to show a piece of it in a message.
#pragma once

#include <string>
#include <string_view>

namespace palate {

/// As RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
[[nodiscard]] bool valid_utf8(std::string_view text) noexcept;

/// The text in double quotes, cut to about 30 bytes at a character's border, with control and
/// invalid bytes replaced by '?'.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace palate
