// Scores of 32 items at once, from strips of whole filters: 32 columns of all matrices side by
// side, row j of matrix m at strip[(j * matrices + m) * 32].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernel.hpp"

namespace palate::kernels {

inline constexpr std::size_t score_width = 32;

/// out[c] = sum over k and m of x[k * matrices + m] * strip[(rows[k] * matrices + m) * 32 + c].
/// Four sums, of the terms with k % 4 = 0, 1, 2 and 3, in order, and then these: the same rows in
/// the same order give the same bits. Bit c of the result is set where out[c] >= least.
extern Kernel<std::uint32_t(const float* strip, std::size_t matrices,
                            std::span<const std::uint32_t> rows, const float* x, float least,
                            float* out)>
    score_strip;

}  // namespace palate::kernels
