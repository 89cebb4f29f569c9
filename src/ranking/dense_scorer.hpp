// Scores on dense graphs (dense_graphs.hpp).
#pragma once

#include "ranking/dense_graphs.hpp"
#include "ranking/dense_person.hpp"
#include "ranking/graph_scorer.hpp"
#include "ranking/scratches.hpp"

namespace palate {

/// One per (graph, power) of a plan: the directions of those that a second order needs.
[[nodiscard]] std::vector<Subspace> second_order_subspaces(const FilterPlan& plan,
                                                           std::span<const DenseGraph> graphs,
                                                           bool lengths, ThreadPool& pool);

class DenseScorer final : public GraphScorer {
 public:
  /// Finds the subspaces that second orders need. `exact`: by bounds and exact dots; else by the
  /// subspaces alone.
  DenseScorer(std::shared_ptr<const FilterPlan> plan, ItemOrder order,
              std::vector<DenseGraph> graphs, bool exact, ThreadPool& pool);
  /// Throws Error{corrupt}.
  DenseScorer(std::shared_ptr<const FilterPlan> plan, const Parts& parts, std::size_t items,
              bool exact);

  [[nodiscard]] std::size_t items() const noexcept override { return graphs_.items(); }
  void recommend(std::span<const Query> queries, std::span<const Signal> signals,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const override;
  void score(std::span<const Signal> signals, std::span<float> scores) const override;
  [[nodiscard]] std::vector<double> filter_column(const Branch& branch, std::uint32_t item,
                                                  std::span<const std::uint32_t> at) const override;
  void add_similarities(std::size_t graph, std::uint32_t item,
                        std::span<double> sums) const override;
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t entries() const noexcept override;
  [[nodiscard]] std::size_t bytes() const noexcept override;

  [[nodiscard]] const DenseGraphs& graphs() const noexcept { return graphs_; }
  /// Whether the fast solver would do something else than the exact one.
  [[nodiscard]] bool has_shortcut() const noexcept {
    return graphs_.exact && !graphs_.higher && !graphs_.second.empty();
  }
  /// The same graphs, second orders by their subspaces.
  [[nodiscard]] std::unique_ptr<DenseScorer> with_fast_solver() const;

 private:
  explicit DenseScorer(DenseGraphs graphs) : graphs_(std::move(graphs)) {}

  DenseGraphs graphs_;
  mutable Scratches<DensePerson> people_;
};

}  // namespace palate
