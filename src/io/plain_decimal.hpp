// Short numbers, as nearly all ratings are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace palate::io {

/// Reads digits with at most one point among them, such as 4, 3.5 or .25, of up to 7 digits. False
/// for anything else, which is not to say that it is no number. The value has the bits that
/// std::from_chars would give: 7 digits and the powers of ten are exact as floats, so the one
/// division rounds as it should.
[[nodiscard]] inline bool plain_decimal(std::string_view text, float& value) noexcept {
  constexpr std::array<float, 8> powers = {1, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F};
  std::int32_t digits = 0;
  std::size_t whole = text.size();  // digits before the point
  if (text.size() > powers.size()) return false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const int digit = text[k] - '0';
    if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
    } else if (text[k] == '.' && whole == text.size()) {
      whole = k;
    } else {
      return false;
    }
  }
  const std::size_t point = whole == text.size() ? 0 : 1;
  const std::size_t count = text.size() - point;
  if (count == 0 || count > 7) return false;
  value = static_cast<float>(digits) / powers[count - whole];
  return true;
}

}  // namespace palate::io
