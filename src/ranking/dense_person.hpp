// The list of one person on dense graphs, from the rows of what they rated.
#pragma once

#include "kernels/lists/top_k.hpp"
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
  /// first and estimate of every place; needs first_orders of the branches that have one.
  void estimate(const PlacedSignal& signal);

  [[nodiscard]] std::vector<float>& y(std::size_t branch) { return y_[branch]; }
  [[nodiscard]] const std::vector<float>& estimates() const noexcept { return estimate_; }

 private:
  struct Candidate {
    std::uint32_t place;
    float estimate;
    float radius;       // the score is no farther from the estimate
    double second = 0;  // sum of a_2 y p_i over the branches that are done

    [[nodiscard]] float bound() const noexcept { return estimate + radius; }
  };
  void look(std::size_t top);
  void find_candidates(kernels::TopK& lower);
  [[nodiscard]] std::vector<std::size_t> widest_first() const;
  void second_order(std::size_t m, std::size_t top);

  const DenseGraphs& graphs_;
  PlacedSignal signal_;
  std::vector<std::vector<float>> y_;  // per branch
  std::vector<float> eligible_;        // 1: may be in the list
  std::vector<float> first_, estimate_, radius_, upper_;
  std::vector<Radius> radii_;  // per second branch
  std::vector<Candidate> candidates_, kept_;
};

}  // namespace palate
