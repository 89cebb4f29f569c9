// Where the delimiters and line ends of a text are. Fields are a few bytes long, so looking for
// each end by itself costs more in calls and wrong guesses of the processor than in bytes: 64 bytes
// are looked at in one go, eight to a word, and leave one bit each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace palate::io {

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
  /// Bit k: is byte k of the block at `place` a mark? Not inlined, which keeps next() short.
  [[nodiscard]] std::uint64_t marks_at(const char* place) const noexcept;

  const char* block_;
  const char* end_;
  std::uint64_t delimiters_;
  std::uint64_t marks_;  // of the block, those not given yet
};

}  // namespace palate::io
