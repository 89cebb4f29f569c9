// Sums over strips (kernels/block.hpp): a row of one is a cache line, of several side by side a
// few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block.hpp"

namespace palate::kernels {

/// Of x.size() matrices side by side, row j of matrix m standing at strip[(j * x.size() + m) * 16]:
/// out[m * 16 + c] = sum_k x[m][k] times entry c of row rows[k], one after the other by fused
/// multiply-adds.
void sum_rows(const float* strip, std::span<const std::uint32_t> rows,
              std::span<const float* const> x, float* out) noexcept;

/// out[c] += sum_k x[k] * rows[k * 16 + c] over `count` rows.
void add_rows(const float* rows, std::size_t count, const float* x, float* out) noexcept;

/// sum over s and c of a[s * a_stride + c] * y[s * y_stride + c], c < 16, s < strips; `strips` is
/// small: the sum is one of floats.
[[nodiscard]] float strips_dot(const float* a, std::size_t a_stride, const float* y,
                               std::size_t y_stride, std::size_t strips) noexcept;

/// A long dot of strips one after the other: `group` strips at a time as strips_dot gives them,
/// added up in double.
[[nodiscard]] double grouped_dot(const float* a, const float* y, std::size_t strips,
                                 std::size_t group) noexcept;

/// The same as strips_dot for many rows of strips side by side, added to `sums`: sums[k] += the dot
/// of a + rows[k] * row_size and y. To the bit what strips_dot gives.
void strips_dots(const float* a, std::size_t row_size, std::span<const std::uint32_t> rows,
                 const float* y, std::size_t y_stride, std::size_t strips, double* sums) noexcept;

/// factor * values[c] + slack * sizes[c]
struct RadiusTerm {
  float factor = 0;
  const float* values = nullptr;
  float slack = 0;
  const float* sizes = nullptr;
};
/// For 16 items: radius[c] = the sum of the terms, and as room for the rounding of the estimate
/// rounding * (|first[c]| + |estimate[c] - first[c]|); upper[c] = estimate[c] + radius[c].
void upper_bounds(const float* first, const float* estimate, std::span<const RadiusTerm> terms,
                  float rounding, float* radius, float* upper) noexcept;

/// Bit c is set where values[c] >= least, for 16 values.
[[nodiscard]] std::uint32_t at_least(const float* values, float least) noexcept;

}  // namespace palate::kernels
