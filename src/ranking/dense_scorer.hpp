// Scores on dense graphs (dense_graphs.hpp).
#pragma once

#include "ranking/dense_graphs.hpp"
#include "ranking/dense_person.hpp"
#include "ranking/scratches.hpp"

namespace palate {

/// One per (graph, power) of a plan: the directions of those that a second order needs.
[[nodiscard]] std::vector<Subspace> second_order_subspaces(const FilterPlan& plan,
                                                           std::span<const DenseGraph> graphs,
                                                           bool lengths, ThreadPool& pool);

class DenseScorer final : public FittedScorer<DenseGraphs> {
 public:
  /// Finds the subspaces that second orders need. `exact`: by bounds and exact dots; else by the
  /// subspaces alone.
  DenseScorer(std::shared_ptr<const FilterPlan> plan, ItemOrder order,
              std::vector<DenseGraph> graphs, bool exact, ThreadPool& pool);
  /// Throws Error{corrupt}.
  DenseScorer(std::shared_ptr<const FilterPlan> plan, const Parts& parts, std::size_t items,
              bool exact);

  void recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const override;
  void score(Signals signals, std::span<float> scores) const override;
  [[nodiscard]] Column filter_column(const Branch& branch, std::uint32_t item,
                                     Items at) const override;

  /// Whether the fast solver would do something else than the exact one.
  [[nodiscard]] bool has_shortcut() const noexcept {
    return graphs_.exact && !graphs_.higher && !graphs_.second.empty();
  }
  /// The same graphs, second orders by their subspaces.
  [[nodiscard]] std::unique_ptr<DenseScorer> with_fast_solver() const;

 private:
  explicit DenseScorer(DenseGraphs graphs) : FittedScorer(std::move(graphs)) {}

  mutable Scratches<DensePerson> people_;
};

}  // namespace palate
