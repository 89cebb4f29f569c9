// A few directions that carry most of a graph.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "core/array.hpp"
#include "graph/dense_graph.hpp"

namespace palate {

/// An orthonormal basis Z (items x rank) of a subspace near the leading eigenvectors of a symmetric
/// matrix P, as the one thing that is needed of it: W = P Z, row i being the coordinates of row i
/// of P, and what of each row lies outside.
struct Subspace {
  std::size_t rank = 0;
  Array<float> coordinates;  ///< W, items x rank, row by row
  Array<float> lengths;      ///< |p_i|, or empty
  Array<float> outside;      ///< |p_i - Z Z^T p_i|, never too small; or empty

  void save(Parts& parts, const std::string& name) const;
  [[nodiscard]] static Subspace load(const Parts& parts, const std::string& name,
                                     std::size_t items);
};

struct SubspaceOptions {
  std::size_t rank = 16;  ///< a multiple of 8
  std::size_t iterations = 3;
  bool lengths = true;  ///< whether lengths and outside are wanted
};

/// One for each power, of P_f = P with every entry raised to it, by block power iteration from a
/// fixed start; the same on any number of threads.
[[nodiscard]] std::vector<Subspace> leading_subspaces(const DenseGraph& graph,
                                                      std::span<const double> powers,
                                                      const SubspaceOptions& options,
                                                      ThreadPool& pool);

/// Of a sparse symmetric matrix, without lengths.
[[nodiscard]] Subspace leading_subspace(const GraphPattern& pattern, const Array<float>& values,
                                        const SubspaceOptions& options, ThreadPool& pool);

}  // namespace palate
