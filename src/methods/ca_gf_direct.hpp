// Scores on a sparse graph: a person's few items lead to few others, and those are visited one by
// one.
#pragma once

#include <vector>

#include "core/recommender.hpp"
#include "methods/ca_gf_graphs.hpp"

namespace palate {

/// A vector that is 0 almost everywhere: dense values and a list of the places that were touched.
class SparseSum {
 public:
  explicit SparseSum(std::size_t n) : values_(n, 0.0F), seen_(n, 0) {}

  void add_row(std::span<const std::uint32_t> columns, const float* row, float x);
  void add_scaled(const SparseSum& other, float a);
  /// In the order of the first touch, which depends on what was added alone.
  [[nodiscard]] const std::vector<std::uint32_t>& touched() const noexcept { return touched_; }
  [[nodiscard]] bool has(std::size_t i) const noexcept { return seen_[i] != 0; }
  [[nodiscard]] float operator[](std::size_t i) const noexcept { return values_[i]; }
  void clear();

 private:
  std::vector<float> values_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> touched_;
};

class DirectScorer {
 public:
  explicit DirectScorer(const CaGfGraphs& graphs);

  /// The score of every item; places not in touched() are 0. Valid until the next call.
  const SparseSum& score(const Signal& signal);
  [[nodiscard]] std::vector<ScoredItem> recommend(const Query& query, const Signal& signal);

 private:
  const CaGfGraphs& graphs_;
  SparseSum total_, power_, next_;
};

/// Mean number of multiply-adds that a person costs this way, over a sample of the users.
[[nodiscard]] double direct_cost(const CaGfGraphs& graphs, const Ratings& ratings);

}  // namespace palate
