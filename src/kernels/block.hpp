// The width that everything is cut to, and the words for it.
//
//   block   16 neighbouring items, in the order in which a graph has them (their places)
//   lane    one of 16
//   strip   rows of 16 floats one below the other: 16 columns of a matrix, which may be items,
//           directions or people; a wide strip has 32
//   panel   a strip whose columns are people
#pragma once

#include <cstddef>

namespace palate::kernels {

/// One cache line of floats.
inline constexpr std::size_t block_width = 16;

}  // namespace palate::kernels
