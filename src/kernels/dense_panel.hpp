// A few rows of a dense strip of columns, weighted and added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace palate::kernels {

/// Columns of one strip: narrow enough that the sums stay in registers, wide enough to hide their
/// latency.
inline constexpr std::size_t strip_width = 128;

/// out[c] = sum_k x[k] * strip[rows[k] * strip_width + c] for the strip_width columns of a strip.
/// The terms are added in the order of k by fused multiply-adds, as scatter_add does, so that both
/// give the same bits.
void combine_rows(const float* strip, std::span<const std::uint32_t> rows, const float* x,
                  float* out) noexcept;

/// The same over all rows 0..count of a strip, added to out.
void add_all_rows(const float* strip, std::size_t count, const float* x, float* out) noexcept;

/// sum_c a[c] * b[c] over strip_width columns, in double.
[[nodiscard]] double strip_dot(const float* a, const float* b) noexcept;

}  // namespace palate::kernels
