// Short numbers, as nearly all ratings are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace palate::io {

/// Reads digits with at most one point among them, such as 4, 3.5 or .25, of up to 7 digits. False
/// for anything else, which may still be a number. The value has the bits that
/// std::from_chars would give: 7 digits and the powers of ten are exact as floats, so the one
/// division rounds as it should.
[[nodiscard]] inline bool plain_decimal(std::string_view text, float& value) noexcept {
  constexpr std::array<float, 8> powers = {1, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F};
  if (text.empty() || text.size() > powers.size()) return false;
  // "4" and "4.5" follow each other in no order that a processor could guess. So there is no branch
  // between them, and conditions are joined by & and |, which evaluate both sides: half the time.
  const auto digit_of = [](char ch) { return static_cast<unsigned>(ch) - '0'; };
  const unsigned first = digit_of(text.front());
  const unsigned last = digit_of(text.back());
  const auto three = static_cast<unsigned>(text.size() == 3);
  const bool pointed =
      static_cast<bool>(three & static_cast<unsigned>(text[text.size() / 2] == '.'));
  if (((text.size() == 1) | pointed) & (first <= 9) & (last <= 9)) {
    const unsigned tenths = first * (1 + 9 * three) + last * three;  // or wholes
    value = static_cast<float>(static_cast<int>(tenths)) / powers[three];
    return true;
  }
  std::int32_t digits = 0;
  std::size_t whole = text.size();  // digits before the point
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
  const std::size_t points = whole == text.size() ? 0 : 1;
  const std::size_t count = text.size() - points;
  if (count == 0 || count > 7) return false;
  value = static_cast<float>(digits) / powers[count - whole];
  return true;
}

}  // namespace palate::io
