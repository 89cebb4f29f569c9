// Blocks of a matrix product, both factors laid out so that they are read in order. Written by
// hand: a BLAS that does not know a processor takes the slowest instructions, or ones that fail.
#pragma once

#include <cstddef>

#include "kernels/kernel.hpp"

namespace palate::kernels {

inline constexpr std::size_t block_rows = 8;
inline constexpr std::size_t block_columns = 48;

/// c[i * stride + j] += factor * sum_k a[k * block_rows + i] * b[k * block_columns + j] for all i <
/// block_rows, j < block_columns; k < depth, ascending, by fused multiply-adds where the machine
/// has them.
extern Kernel<void(const float* a, const float* b, std::size_t depth, float factor, float* c,
                   std::size_t stride)>
    add_block_product;
extern Kernel<void(const double* a, const double* b, std::size_t depth, double factor, double* c,
                   std::size_t stride)>
    add_block_product_double;

}  // namespace palate::kernels
