// Scores on sparse graphs: a person's few items lead to few others (sparse_person.hpp).
#pragma once

#include "ranking/scratches.hpp"
#include "ranking/sparse_graphs.hpp"
#include "ranking/sparse_person.hpp"

namespace palate {

class SparseScorer final : public FittedScorer<SparseGraphs> {
 public:
  /// Raises the graphs to the powers of the plan. `exact`: second orders are computed; else, in
  /// plans without higher ones, estimated by leading directions of the graph.
  SparseScorer(std::shared_ptr<const FilterPlan> plan, std::vector<ItemGraph> graphs, bool exact,
               ThreadPool& pool);
  /// Throws Error{corrupt}.
  SparseScorer(std::shared_ptr<const FilterPlan> plan, const Parts& parts, std::size_t items,
               bool exact);

  void recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const override;
  void score(Signals signals, std::span<float> scores) const override;
  [[nodiscard]] Column filter_column(const Branch& branch, std::uint32_t item,
                                     Items at) const override;

 private:
  void measure_rows(ThreadPool& pool);
  void find_longest();
  void measure_subspaces();

  mutable Scratches<SparsePerson> people_;
};

}  // namespace palate
