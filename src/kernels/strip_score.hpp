// Scores of 16 items at once, from strips of whole filters (kernels/strip.hpp says what a strip
// is).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace palate::kernels {

/// out[c] = sum over k and m of x[k * matrices + m] * strip[(rows[k] * matrices + m) * 16 + c].
/// Four sums, of the terms with k % 4 = 0, 1, 2 and 3, in order, and then these: the same rows in
/// the same order give the same bits.
void score_strip(const float* strip, std::size_t matrices, std::span<const std::uint32_t> rows,
                 const float* x, float* out) noexcept;

}  // namespace palate::kernels
