// Most strips cannot matter to most people. Of each row j and each strip of 32 items the largest
// entry is known, so that sum_j X_j max_j bounds the first order of the whole strip; where that and
// a bound on the second stay below the worst place of someone's list so far, the strip is passed
// over.
#pragma once

#include <bit>
#include <cstdint>

#include "base/huge_buffer.hpp"
#include "ranking/dense_people.hpp"

namespace palate {

/// No score of an item of a strip that someone has not rated is higher; nor is what is left of it
/// when the first orders of the first stages of tiles are taken away. In 16 bits, those of a float,
/// rounded up.
class StripBounds {
 public:
  /// `most`: how many stages may be taken away.
  StripBounds(std::size_t strips, std::size_t people, std::size_t most)
      : people_(people), most_(most), values_(strips * (most + 1) * people, Contents::any) {}

  /// By person, for value(). A strip more than there are: sheets are whole.
  [[nodiscard]] std::uint16_t* of(std::size_t strip, std::size_t stages) const noexcept {
    return values_.data() + (strip * (most_ + 1) + stages) * people_;
  }
  /// From one strip to the next.
  [[nodiscard]] std::size_t stride() const noexcept { return (most_ + 1) * people_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }

  static float value(std::uint16_t bound) noexcept {
    return std::bit_cast<float>(std::uint32_t{bound} << 16U);
  }

 private:
  std::size_t people_;
  std::size_t most_;
  HugeBuffer<std::uint16_t> values_;
};

/// `set`: which of the people's sets of codes `codes` is; it must be of all first orders.
[[nodiscard]] StripBounds strip_bounds(const DenseGraphs& graphs, const DenseCodes& codes,
                                       std::size_t set, const DensePeople& people, std::size_t most,
                                       ThreadPool& pool);

}  // namespace palate
