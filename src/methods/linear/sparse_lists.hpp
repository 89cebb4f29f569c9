// Lists of many people at once from the weights that are not 0.
#pragma once

#include <span>
#include <vector>

#include "graph/item_graph.hpp"
#include "methods/linear/dense_lists.hpp"

namespace palate {

/// Row j of `pattern` names the i with w_ji.
struct SparseWeights {
  const GraphPattern& pattern;
  std::span<const float> weights;
  std::span<const float> targets = {};  ///< scores are multiplied by these; empty: 1
};

/// As dense_lists, with 0 where there is no weight.
void sparse_lists(const SparseWeights& weights, std::span<const Asking> askings,
                  std::span<std::vector<ScoredItem>> lists, ThreadPool& pool);

}  // namespace palate
