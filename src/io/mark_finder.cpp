#include "io/mark_finder.hpp"

#include <array>
#include <cstring>

namespace palate::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest of a word");

/// The top bit of each byte: is the byte other than 0? The other bits mean nothing.
constexpr std::uint64_t not_zero(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fU;
  return ((bytes & low) + low) | bytes;
}

/// Bit k is the top bit of byte k: the product moves it to bit 56 + k, and no two of its terms
/// meet.
constexpr std::uint64_t top_bits(std::uint64_t bytes) noexcept {
  return (((bytes >> 7) & 0x0101010101010101U) * 0x0102040810204080U) >> 56;
}

}  // namespace

std::uint64_t MarkFinder::marks_at(const char* place) const noexcept {
  std::array<std::uint64_t, block_bytes / 8> words{};
  const std::ptrdiff_t left = end_ - place;
  if (left >= block_bytes) {
    std::memcpy(words.data(), place, block_bytes);
  } else if (left > 0) {
    std::memcpy(words.data(), place, static_cast<std::size_t>(left));
  }
  std::uint64_t marks = 0;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::uint64_t other =
        not_zero(words[k] ^ delimiters_) & not_zero(words[k] ^ everywhere('\n'));
    marks |= top_bits(~other) << (8 * k);
  }
  return left < block_bytes ? marks & ((std::uint64_t{1} << left) - 1) : marks;
}

}  // namespace palate::io
