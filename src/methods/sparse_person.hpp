// Scores on a sparse graph: a person's few items lead to few others, and those are visited one by
// one.
//
// The second-order score of item i is y p_i, y = x P_f being the first-order row and p_i row i of
// P_f, and |y p_i| <= |y| |p_i|. On sparse graphs this bound alone often settles the list among the
// items that the first order reaches; only where it does not are all items within two steps
// computed. Orders above two go step by step.
#pragma once

#include <vector>

#include "core/recommender.hpp"
#include "methods/graph_scorer.hpp"
#include "methods/sparse_graphs.hpp"

namespace palate {

/// A vector that is 0 almost everywhere: dense values and a list of the places that were touched.
template <class T>
class SparseSum {
 public:
  explicit SparseSum(std::size_t n) : values_(n, T{0}), seen_(n, 0) {}

  void add(std::uint32_t i, T x) {
    if (seen_[i] == 0) {
      seen_[i] = 1;
      touched_.push_back(i);
    }
    values_[i] += x;
  }
  void add_row(std::span<const std::uint32_t> columns, const float* row, T x) {
    for (std::size_t k = 0; k < columns.size(); ++k) add(columns[k], x * static_cast<T>(row[k]));
  }
  void add_scaled(const SparseSum& other, T a) {
    for (const std::uint32_t i : other.touched_) add(i, a * other.values_[i]);
  }
  /// In the order of the first touch, which depends on what was added alone.
  [[nodiscard]] const std::vector<std::uint32_t>& touched() const noexcept { return touched_; }
  [[nodiscard]] bool has(std::size_t i) const noexcept { return seen_[i] != 0; }
  [[nodiscard]] T operator[](std::size_t i) const noexcept { return values_[i]; }
  void clear() {
    for (const std::uint32_t i : touched_) {
      values_[i] = 0;
      seen_[i] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<T> values_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> touched_;
};

/// One per worker; scratch memory is reused from person to person.
class SparsePerson {
 public:
  explicit SparsePerson(const SparseGraphs& graphs);

  /// The score of every item, with the bits that recommend gives.
  void score(const Signal& signal, std::span<float> scores);
  [[nodiscard]] std::vector<ScoredItem> recommend(const Query& query, const Signal& signal);

 private:
  void first_orders(const Signal& signal);
  void higher_orders(std::size_t branch);
  void second_orders();
  [[nodiscard]] double second_order(std::uint32_t item) const;
  [[nodiscard]] float rounded(std::uint32_t item, double second) const noexcept {
    return static_cast<float>(static_cast<double>(total_[item]) + second);
  }
  [[nodiscard]] bool settle(const Query& query, std::vector<ScoredItem>& list);

  const SparseGraphs& graphs_;
  SparseSum<float> total_;           // sum of a_1 x P, and of whole filters of order above 2
  std::vector<SparseSum<float>> y_;  // x P of each branch of order 2
  std::vector<std::size_t> of_;      // which branch that is
  SparseSum<double> second_;         // sum of a_2 x P^2 over these
  SparseSum<float> power_, next_;    // scratch
};

}  // namespace palate
