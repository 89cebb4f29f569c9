// A few directions that carry most of a graph.
#pragma once

#include <cstddef>

#include "base/thread_pool.hpp"
#include "core/array.hpp"
#include "core/item_graph.hpp"

namespace palate {

/// An orthonormal basis Z (items x rank) of a subspace near the leading eigenvectors of a symmetric
/// matrix P, as the one thing that is needed of it: W = P Z, row i being the coordinates of row i
/// of P, and what of each row lies outside.
struct Subspace {
  std::size_t rank = 0;
  Array<float> coordinates;  ///< W, items x rank, row by row
  Array<float> lengths;      ///< |p_i|
  Array<float> outside;      ///< |p_i - Z Z^T p_i|, never too small

  void save(Parts& parts, const std::string& name) const;
  [[nodiscard]] static Subspace load(const Parts& parts, const std::string& name,
                                     std::size_t items);
};

/// Block power iteration from a fixed start; the same on any number of threads. `rank` is a
/// multiple of 16; 0 gives the lengths of the rows alone.
[[nodiscard]] Subspace leading_subspace(const GraphPattern& pattern, const Array<float>& values,
                                        std::size_t rank, std::size_t iterations, ThreadPool& pool);

}  // namespace palate
