// Sums over packed rows (kernels/graph/packed_row.hpp) as they are, without laying them out: of one
// column of a graph at what someone has rated, by symmetry the row of its item; and dots of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/graph/packed_row.hpp"

namespace palate::kernels {

/// out[j] = the logarithm of the link to j plus `shift`, or less than -1e29 where there is none;
/// 16 floats a block.
extern Kernel<void(const PackedRow& row, std::size_t blocks, float shift, float* out)> unpack_logs;

/// A power of the column, and a factor for each rated item.
struct ColumnTerm {
  float power = 1;
  const float* x = nullptr;
};
/// out[t] = sum_k terms[t].x[k] * exp2(terms[t].power * logs[rows[k]]), one after the other by
/// fused multiply-adds: to the bit what add_powers of the rows themselves gives.
extern Kernel<void(const float* logs, std::span<const std::uint32_t> rows,
                   std::span<const ColumnTerm> terms, float* out)>
    sum_column;

struct PackedDot {
  double sum = 0;
  std::size_t links = 0;  ///< of these blocks
};

/// sum_j 2^(power (log_j + shift_j)) y_j over the links of some blocks. To the bit what grouped_dot
/// (strip.hpp) makes of what unpack_power lays out, in groups of at most 16 blocks.
extern Kernel<PackedDot(const PackedRow& row, std::size_t blocks, const float* shift, float power,
                        const float* y, std::size_t group)>
    power_dot;

}  // namespace palate::kernels
