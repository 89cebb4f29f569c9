// Sums over strips (kernels/block.hpp): a row of one is a cache line, of several side by side a
// few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block.hpp"
#include "kernels/kernel.hpp"

namespace palate::kernels {

/// Of x.size() matrices side by side, row j of matrix m standing at strip[(j * x.size() + m) * 16]:
/// out[m * 16 + c] = sum_k x[m][k] times entry c of row rows[k], one after the other by fused
/// multiply-adds.
extern Kernel<void(const float* strip, std::span<const std::uint32_t> rows,
                   std::span<const float* const> x, float* out)>
    sum_rows;

/// out[c] += sum_k x[k] * rows[k * 16 + c] over `count` rows.
extern Kernel<void(const float* rows, std::size_t count, const float* x, float* out)> add_rows;

/// sum over s and c of a[s * a_stride + c] * y[s * y_stride + c], c < 16, s < strips; `strips` is
/// small: the sum is one of floats.
extern Kernel<float(const float* a, std::size_t a_stride, const float* y, std::size_t y_stride,
                    std::size_t strips)>
    strips_dot;

/// A long dot of strips one after the other: `group` strips at a time as strips_dot gives them,
/// added up in double.
extern Kernel<double(const float* a, const float* y, std::size_t strips, std::size_t group)>
    grouped_dot;

/// The same as strips_dot for many rows of strips side by side, added to `sums`: sums[k] += the dot
/// of a + rows[k] * row_size and y. To the bit what strips_dot gives.
extern Kernel<void(const float* a, std::size_t row_size, std::span<const std::uint32_t> rows,
                   const float* y, std::size_t y_stride, std::size_t strips, double* sums)>
    strips_dots;

/// factor * values[c] + slack * sizes[c]
struct RadiusTerm {
  float factor = 0;
  const float* values = nullptr;
  float slack = 0;
  const float* sizes = nullptr;
};
/// For 16 items: radius[c] = the sum of the terms, and as room for the rounding of the estimate
/// rounding * (|first[c]| + |estimate[c] - first[c]|); upper[c] = estimate[c] + radius[c].
extern Kernel<void(const float* first, const float* estimate, std::span<const RadiusTerm> terms,
                   float rounding, float* radius, float* upper)>
    upper_bounds;

/// Bit c is set where values[c] >= least, for 16 values.
extern Kernel<std::uint32_t(const float* values, float least)> at_least;

/// sum_k y[k]^2 in double.
extern Kernel<double(std::span<const float> y)> square_sum;

// A sparse matrix times a panel: the signals of 16 users side by side, one row of 16 floats per
// item. A row of the matrix then costs one vector multiply-add per entry, whatever the users rated.

inline constexpr std::size_t panel_width = block_width;

/// y[columns[k]] += values[k] * w for one row of the matrix; w and each row of y have panel_width
/// floats.
extern Kernel<void(std::span<const std::uint32_t> columns, std::span<const float> values,
                   const float* w, float* y)>
    scatter_row;

/// y[i] = sum_k values[k] * x[columns[k]] over k in [offsets[i], offsets[i+1]), for each row i. The
/// terms of one lane are added in the order of k, as scatter_row does, so that both give the same
/// bits.
extern Kernel<void(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> columns,
                   std::span<const float> values, const float* x, float* y)>
    multiply;

}  // namespace palate::kernels
