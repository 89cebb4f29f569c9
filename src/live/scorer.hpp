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
  void recommend(std::span<const Query> queries, std::span<const Signal> signals,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const override;
  void score(std::span<const Signal> signals, std::span<float> scores) const override;
  void score_at(std::span<const Signal> signals, std::span<const std::uint32_t> at,
                std::span<float> scores) const override;
  [[nodiscard]] std::vector<double> filter_column(const Branch& branch, std::uint32_t item,
                                                  std::span<const std::uint32_t> at) const override;
  void add_similarities(std::size_t graph, std::uint32_t item,
                        std::span<double> sums) const override;
  /// A state is not kept; a model fitted on its ratings is.
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t entries() const noexcept override;
  [[nodiscard]] std::size_t bytes() const noexcept override { return state_->bytes(); }

 private:
  [[nodiscard]] bool first_order(const Signal& signal, const Branch& branch,
                                 std::vector<float>& y) const;

  std::shared_ptr<const State> state_;
  std::shared_ptr<Workers> workers_;
};

}  // namespace palate::live
