// The graphs of a plan as sparse matrices: for data in which an item is linked to few others.
#pragma once

#include <memory>
#include <vector>

#include "graph/item_graph.hpp"
#include "ranking/graph_scorer.hpp"

namespace palate {

/// The diagonal of a row, and the length of the rest of it.
struct Near {
  float diagonal, length;
};

struct SparseGraphs {
  std::shared_ptr<const FilterPlan> plan;
  std::vector<GraphPattern> patterns;  ///< one per graph of the plan
  std::vector<Array<float>> values;    ///< one per (graph, power) of the plan
  /// Of each of these, empty where no filter of second order uses it: the diagonal, the lengths of
  /// the rows without it, and the largest of these.
  std::vector<Array<float>> diagonal;
  std::vector<Array<float>> lengths;
  std::vector<float> longest;
  /// Where second orders are computed, by item, what is near for each branch that has one: the
  /// diagonal and the length of its row.
  std::vector<Near> near;
  /// Whether second orders are computed; if not, they are estimated by the subspaces, one per
  /// (graph, power), at the items that the first order reaches.
  bool exact = true;
  std::vector<Subspace> subspaces;
  std::vector<std::vector<float>> reaches;  ///< of these: |W_i|, not too small

  void add_similarities(std::size_t graph, std::uint32_t item, std::span<double> sums) const;
  void save(Parts& parts) const;
  [[nodiscard]] GraphSize size() const noexcept;
  [[nodiscard]] std::size_t items() const noexcept { return patterns[0].items(); }
  /// Row j of P_f of a branch.
  [[nodiscard]] std::span<const std::uint32_t> columns(const Branch& b,
                                                       std::size_t j) const noexcept {
    return patterns[b.graph].row(j);
  }
  [[nodiscard]] const float* row(const Branch& b, std::size_t j) const noexcept {
    return values[b.values].data() + patterns[b.graph].offsets[j];
  }
};

}  // namespace palate
