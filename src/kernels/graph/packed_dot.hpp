// Dots of packed rows, without laying them out.
#pragma once

#include "kernels/graph/packed_row.hpp"

namespace palate::kernels {

struct PackedDot {
  double sum = 0;
  std::size_t links = 0;  ///< of these blocks
};

/// sum_j 2^(power (log_j + shift_j)) y_j over the links of some blocks. To the bit what grouped_dot
/// (strip.hpp) makes of what unpack_power lays out, in groups of at most 16 blocks.
[[nodiscard]] PackedDot power_dot(const PackedRow& row, std::size_t blocks, const float* shift,
                                  float power, const float* y, std::size_t group) noexcept;

}  // namespace palate::kernels
