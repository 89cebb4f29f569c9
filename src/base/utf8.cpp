#include "base/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace palate {
namespace {

/// Bytes of the character at `p`, or 0 if there is no valid one.
std::size_t character(const unsigned char* p, const unsigned char* end) noexcept {
  const unsigned char lead = *p;
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  // The second byte's range is what rules out overlong forms and surrogates.
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (static_cast<std::size_t>(end - p) < length || p[1] < low || p[1] > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if (p[k] < 0x80 || p[k] > 0xbf) return 0;
  }
  return length;
}

}  // namespace

bool valid_utf8(std::string_view text) noexcept {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* const end = p + text.size();
  while (p < end) {
    std::uint64_t word = 0;
    if (end - p >= 8) {
      std::memcpy(&word, p, 8);
      if ((word & 0x8080808080808080ULL) == 0) {
        p += 8;
        continue;
      }
    }
    const std::size_t length = character(p, end);
    if (length == 0) return false;
    p += length;
  }
  return true;
}

Character first_character(std::string_view text) noexcept {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t bytes = text.empty() ? 0 : character(p, p + text.size());
  if (bytes < 2) return {bytes == 0 ? U'\0' : char32_t{*p}, bytes};
  char32_t code = *p & (0xFFU >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) code = code << 6 | (p[k] & 0x3FU);
  return {code, bytes};
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 30;
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* const end = p + text.size();
  std::string out = "\"";
  while (p < end && out.size() < most) {
    const std::size_t length = character(p, end);
    if (length == 0 || *p < 0x20 || *p == 0x7f) {
      out += '?';
      ++p;
    } else {
      out.append(reinterpret_cast<const char*>(p), length);
      p += length;
    }
  }
  out += p < end ? "...\"" : "\"";
  return out;
}

}  // namespace palate
