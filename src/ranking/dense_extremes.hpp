// What bounds the second orders of whole strips of items.
#pragma once

#include <array>
#include <vector>

#include "kernels/lists/people.hpp"
#include "ranking/dense_graphs.hpp"

namespace palate {

/// Of up to 16 wide strips: by second branch the highest and then the lowest coordinate of each
/// leading direction, and the greatest length of the others, 16 floats a row; and the largest
/// radius that an item of the strip can have. With z split alike, the sum over the rows is no lower
/// than the second-order estimate of any item of the strip.
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

}  // namespace palate
