// A few rows of a matrix, weighted and added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernel.hpp"

namespace palate::kernels {

/// out[c] = sum_k x[k] * matrix[rows[k] * stride + c], c < width, in order of k, by fused
/// multiply-adds where the machine has them: the same to the bit for any width and stride.
extern Kernel<void(const float* matrix, std::size_t stride, std::span<const std::uint32_t> rows,
                   std::span<const float> x, std::size_t width, float* out)>
    weighted_rows;

/// The same of a matrix of short integers: to the bit what weighted_rows gives for the same numbers
/// as floats.
extern Kernel<void(const std::int16_t* matrix, std::size_t stride,
                   std::span<const std::uint32_t> rows, std::span<const float> x, std::size_t width,
                   float* out)>
    weighted_short_rows;

}  // namespace palate::kernels
