// Tiles of a matrix product. Written by hand: a BLAS has threads and a choice of instructions of
// its own, and would not pass over zeros.
#pragma once

#include <cstddef>

#include "kernels/kernel.hpp"

namespace palate::kernels {

/// Columns of a tile, and how many rows of b a call takes: as many as fit into the nearest cache.
inline constexpr std::size_t product_tile = 128;
inline constexpr std::size_t product_depth = 64;

/// c[r * product_tile + j] += sum_k a[r * a_stride + k] * b[k * product_tile + j], k <
/// product_depth, for r < rows, an even number up to product_tile. The fewer entries of a are not
/// 0, the quicker. Rows 2q and 2q + 1 go together: each has a sum of its own over ascending k,
/// first where both are not 0 and then where it alone is not, which is then added to c.
extern Kernel<void(const float* a, std::size_t a_stride, std::size_t rows, const float* b,
                   float* c)>
    add_tile_product;

}  // namespace palate::kernels
