// Scores and lists of one person on fitted sparse graphs (sparse_walk.hpp).
#pragma once

#include <span>
#include <vector>

#include "core/recommender.hpp"
#include "ranking/sparse_graphs.hpp"
#include "ranking/sparse_walk.hpp"

namespace palate {

/// What a walk asks of fitted graphs.
class SparseView {
 public:
  explicit SparseView(const SparseGraphs& graphs);

  [[nodiscard]] std::size_t items() const noexcept { return graphs_.items(); }
  [[nodiscard]] const FilterPlan& plan() const noexcept { return *graphs_.plan; }
  [[nodiscard]] std::span<const std::size_t> second() const noexcept { return second_; }
  [[nodiscard]] std::span<const std::uint32_t> columns(std::size_t g, std::size_t j) const {
    return graphs_.patterns[g].row(j);
  }
  [[nodiscard]] const float* values(std::size_t b, std::size_t j) const {
    return graphs_.row(graphs_.plan->branches[b], j);
  }
  [[nodiscard]] static constexpr double scale(std::size_t /*b*/, std::size_t /*j*/) { return 1.0; }
  [[nodiscard]] Near near(std::size_t n, std::size_t i) const {
    return graphs_.near[i * second_.size() + n];
  }
  [[nodiscard]] static constexpr float ratio(std::size_t /*n*/, std::size_t /*i*/) { return 1.0F; }
  [[nodiscard]] float longest(std::size_t n) const {
    return graphs_.longest[graphs_.plan->branches[second_[n]].values];
  }

 private:
  const SparseGraphs& graphs_;
  std::vector<std::size_t> second_;
};

/// One per worker; scratch memory is reused from person to person.
class SparsePerson {
 public:
  explicit SparsePerson(const SparseGraphs& graphs) : graphs_(graphs), view_(graphs) {}

  /// The score of every item, with the bits that recommend gives.
  void score(const Signal& signal, std::span<float> scores);
  [[nodiscard]] std::vector<ScoredItem> recommend(const Query& query, const Signal& signal);

 private:
  void project();
  [[nodiscard]] double estimated_second_order(std::uint32_t item) const;
  void add_estimates();
  [[nodiscard]] bool settle_estimated(const Query& query, std::vector<ScoredItem>& list);

  const SparseGraphs& graphs_;
  SparseView view_;
  SparseWalk<SparseView> walk_;
  // Where second orders are estimated, per branch of second order: a_2 x W and its length.
  std::vector<std::vector<float>> z_;
  std::vector<float> z_length_;
};

}  // namespace palate
