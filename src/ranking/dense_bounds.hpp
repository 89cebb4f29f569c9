// Most strips cannot matter to most people. Of each row j and each strip of 32 items the largest
// entry is known, so that sum_j X_j max_j bounds the first order of the whole strip; where that and
// a bound on the second stay below the worst place of someone's list so far, the strip is passed
// over.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/huge_buffer.hpp"
#include "ranking/dense_people.hpp"

namespace palate {

/// What bounds the second orders of whole strips of items. Of up to 16 wide strips: by second
/// branch the highest and then the lowest coordinate of each leading direction, and the greatest
/// length of the others, 16 floats a row; and the largest radius that an item of the strip can
/// have. With z split alike, the sum over the rows is no lower than the second-order estimate of
/// any item of the strip.
struct Extremes {
  /// Directions of a branch that are taken one by one.
  static constexpr std::size_t leading = 4;
  static constexpr std::size_t rows_per_branch = 2 * leading + 1;
  static constexpr std::size_t strips = 16;

  std::vector<float> coordinates;
  std::vector<std::array<float, strips>> outside, lengths;

  /// Strips from `first` on; what is past the last is 0.
  Extremes(const DenseGraphs& graphs, std::size_t first);
  /// What of someone's z goes with each row of coordinates.
  static void split(const DenseGraphs& graphs, const float* z, float* out);
};

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
