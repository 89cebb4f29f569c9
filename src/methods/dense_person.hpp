// The list of one person on dense graphs, from the rows of what he rated.
#pragma once

#include "methods/dense_graphs.hpp"

namespace palate {

/// Scratch memory that is reused from person to person; one per worker.
class DensePerson {
 public:
  explicit DensePerson(const DenseGraphs& graphs);

  /// For plans without orders above two.
  [[nodiscard]] std::vector<ScoredItem> recommend(const Query& query, const Signal& signal);
  /// y = x P_f of one branch; stride() floats.
  void first_order(const PlacedSignal& signal, std::size_t branch, float* y);
  /// first and estimate of every place; needs first_order of the branches that have one.
  void estimate(const PlacedSignal& signal);

  [[nodiscard]] std::vector<float>& y(std::size_t branch) { return y_[branch]; }
  [[nodiscard]] const std::vector<float>& estimates() const noexcept { return estimate_; }

 private:
  struct Candidate {
    float bound;  // no score can be higher
    std::uint32_t place;
  };
  void find_candidates(std::size_t top);
  [[nodiscard]] double second_order(std::size_t place);

  const DenseGraphs& graphs_;
  PlacedSignal signal_;
  std::vector<std::vector<float>> y_;  // per branch
  std::vector<float> odd_, first_, estimate_, radius_, row_;
  std::vector<Radius> radii_;  // per second branch
  std::vector<Candidate> candidates_;
};

}  // namespace palate
