// Where the delimiters and line ends of a text are. Fields are a few bytes long, so looking for
// each end by itself costs more in calls and wrong guesses of the processor than in bytes: 64 bytes
// are looked at in one go, eight to a word, and leave one bit each.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace palate::io {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest of a word");

class MarkFinder {
 public:
  MarkFinder(std::string_view text, char delimiter) noexcept
      : block_(text.data()),
        end_(text.data() + text.size()),
        delimiters_(everywhere(delimiter)),
        marks_(marks_at(block_)) {}

  /// The next delimiter or line end, or the end of the text. No mark is given twice.
  [[nodiscard]] const char* next() noexcept {
    while (marks_ == 0) {
      if (end_ - block_ <= block_bytes) return end_;
      block_ += block_bytes;
      marks_ = marks_at(block_);
    }
    const char* const found = block_ + std::countr_zero(marks_);
    marks_ &= marks_ - 1;
    return found;
  }

  /// Passes over the marks before `place`, which is not before the last one given.
  void skip_to(const char* place) noexcept {
    if (place - block_ < block_bytes) {
      marks_ &= ~std::uint64_t{0} << (place - block_);
    } else {
      block_ = place;
      marks_ = marks_at(place);
    }
  }

 private:
  static constexpr std::ptrdiff_t block_bytes = 64;

  static constexpr std::uint64_t everywhere(char ch) noexcept {
    return 0x0101010101010101U * static_cast<unsigned char>(ch);
  }

  /// The top bit of each byte: is the byte other than 0? The other bits mean nothing.
  static constexpr std::uint64_t not_zero(std::uint64_t bytes) noexcept {
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fU;
    return ((bytes & low) + low) | bytes;
  }

  /// Bit k: is byte k of the word a mark?
  [[nodiscard]] std::uint64_t marks_of(std::uint64_t word) const noexcept {
    const std::uint64_t other = not_zero(word ^ delimiters_) & not_zero(word ^ everywhere('\n'));
    // The product moves the bit of byte k to bit 56 + k; no two of its terms meet.
    return (((~other >> 7) & everywhere(1)) * 0x0102040810204080U) >> 56;
  }

  [[nodiscard]] std::uint64_t marks_at(const char* place) const noexcept {
    std::array<std::uint64_t, block_bytes / 8> words{};
    const std::ptrdiff_t left = end_ - place;
    if (left >= block_bytes) {
      std::memcpy(words.data(), place, block_bytes);
    } else if (left > 0) {
      std::memcpy(words.data(), place, static_cast<std::size_t>(left));
    }
    std::uint64_t marks = 0;
    for (std::size_t k = 0; k < words.size(); ++k) marks |= marks_of(words[k]) << (8 * k);
    return left < block_bytes ? marks & ((std::uint64_t{1} << left) - 1) : marks;
  }

  const char* block_;
  const char* end_;
  std::uint64_t delimiters_;
  std::uint64_t marks_;  // of the block, those not given yet
};

}  // namespace palate::io
