// One column of a graph, at what someone has rated. By symmetry the column of an item is its packed
// row (kernels/graph/packed_row.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/graph/packed_row.hpp"

namespace palate::kernels {

/// out[j] = the logarithm of the link to j plus `shift`, or less than -1e29 where there is none;
/// 16 floats a block.
void unpack_logs(const PackedRow& row, std::size_t blocks, float shift, float* out) noexcept;

/// A power of the column, and a factor for each rated item.
struct ColumnTerm {
  float power = 1;
  const float* x = nullptr;
};
/// out[t] = sum_k terms[t].x[k] * exp2(terms[t].power * logs[rows[k]]), one after the other by
/// fused multiply-adds: to the bit what add_powers of the rows themselves gives.
void sum_column(const float* logs, std::span<const std::uint32_t> rows,
                std::span<const ColumnTerm> terms, float* out) noexcept;

}  // namespace palate::kernels
