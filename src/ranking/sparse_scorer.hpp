// Scores on sparse graphs: a person's few items lead to few others (sparse_person.hpp).
#pragma once

#include "ranking/graph_scorer.hpp"
#include "ranking/scratches.hpp"
#include "ranking/sparse_graphs.hpp"
#include "ranking/sparse_person.hpp"

namespace palate {

class SparseScorer final : public GraphScorer {
 public:
  /// Raises the graphs to the powers of the plan. `exact`: second orders are computed; else, in
  /// plans without higher ones, estimated by leading directions of the graph.
  SparseScorer(std::shared_ptr<const FilterPlan> plan, std::vector<ItemGraph> graphs, bool exact,
               ThreadPool& pool);
  /// Throws Error{corrupt}.
  SparseScorer(std::shared_ptr<const FilterPlan> plan, const Parts& parts, std::size_t items,
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

  [[nodiscard]] const SparseGraphs& graphs() const noexcept { return graphs_; }

 private:
  void measure_rows(ThreadPool& pool);
  void find_longest();
  void measure_subspaces();

  SparseGraphs graphs_;
  mutable Scratches<SparsePerson> people_;
};

}  // namespace palate
