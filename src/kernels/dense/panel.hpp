// Sparse matrix times a panel: the signals of 16 users side by side, one row of 16 floats per item.
// A row of the matrix then costs one vector multiply-add per entry, whatever the users rated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block.hpp"

namespace palate::kernels {

inline constexpr std::size_t panel_width = block_width;

/// y[columns[k]] += values[k] * w for one row of the matrix; w and each row of y have panel_width
/// floats.
void scatter_row(std::span<const std::uint32_t> columns, std::span<const float> values,
                 const float* w, float* y) noexcept;

/// y[i] = sum_k values[k] * x[columns[k]] over k in [offsets[i], offsets[i+1]), for each row i. The
/// terms of one lane are added in the order of k, as scatter_row does, so that both give the same
/// bits.
void multiply(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> columns,
              std::span<const float> values, const float* x, float* y) noexcept;

}  // namespace palate::kernels
