// The list of one person on dense graphs, from the rows of what they rated.
#pragma once

#include "ranking/certified_list.hpp"
#include "ranking/dense_graphs.hpp"

namespace palate {

/// Scratch memory that is reused from person to person; one per worker.
class DensePerson {
 public:
  explicit DensePerson(const DenseGraphs& graphs);

  /// For plans without orders above two.
  [[nodiscard]] std::vector<ScoredItem> recommend(const Query& query, const Signal& signal);
  /// y = x P_f of some branches.
  void first_orders(const PlacedSignal& signal, std::span<const std::size_t> branches);
  /// After that: those of one branch by place, and of all that have a first order in one block, 16
  /// floats each.
  [[nodiscard]] const std::vector<float>& y(std::size_t branch) const { return y_[branch]; }
  [[nodiscard]] std::span<const float* const> first_orders_at(std::size_t block);

 private:
  class View;

  const DenseGraphs& graphs_;
  PlacedSignal signal_;
  std::vector<std::vector<float>> y_;  // per branch
  std::vector<const float*> block_y_;
  std::vector<float> eligible_;  // 1: may be in the list
  std::vector<float> boost_;     // by place; empty if there is none
  std::vector<Radius> radii_;    // per second branch
  CertifiedList list_;
};

}  // namespace palate
