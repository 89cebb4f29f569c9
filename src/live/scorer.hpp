// Scores by one state of a live model.
#pragma once

#include <memory>

#include "live/dense_person.hpp"
#include "live/rows.hpp"
#include "live/sparse_person.hpp"
#include "live/state.hpp"
#include "ranking/graph_scorer.hpp"
#include "ranking/scratches.hpp"

namespace palate::live {

/// Scratch memory that the scorers of all states share.
struct Workers {
  Scratches<DensePerson> dense;
  Scratches<SparsePerson> sparse;
  Scratches<LinkReader> readers;
};

/// Always exact.
class Scorer final : public GraphScorer {
 public:
  Scorer(std::shared_ptr<const State> state, std::shared_ptr<Workers> workers)
      : state_(std::move(state)), workers_(std::move(workers)) {}

  [[nodiscard]] std::size_t items() const noexcept override { return state_->items(); }
  void recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const override;
  void score(Signals signals, std::span<float> scores) const override;
  void score_at(Signals signals, Items at, std::span<float> scores) const override;
  [[nodiscard]] Column filter_column(const Branch& branch, std::uint32_t item,
                                     Items at) const override;
  void add_similarities(std::size_t graph, std::uint32_t item,
                        std::span<double> sums) const override;
  /// A state is not kept; a model fitted on its ratings is.
  void save(Parts& parts) const override;
  [[nodiscard]] GraphSize size() const noexcept override;

 private:
  [[nodiscard]] bool first_order(const Signal& signal, const Branch& branch,
                                 std::vector<float>& y) const;

  std::shared_ptr<const State> state_;
  std::shared_ptr<Workers> workers_;
};

}  // namespace palate::live
