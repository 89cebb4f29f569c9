// Scores on a sparse graph: a person's few items lead to few others, and those are visited one by
// one.
//
// The second-order score of item i is y p_i, y = x P_f being the first-order row and p_i row i of
// P_f. Most of it comes from the person's own items and from i itself, which are cheap; what is
// left is bounded by |y'| |p_i'|, the primes being y without the person's own items and p_i without
// its diagonal. That often settles the list among the items that the first order reaches; only
// where it does not are all items within two steps computed. Orders above two go step by step.
#pragma once

#include <vector>

#include "core/recommender.hpp"
#include "ranking/graph_scorer.hpp"
#include "ranking/sparse_graphs.hpp"

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
  [[nodiscard]] bool has(std::uint32_t i) const noexcept { return seen_[i] != 0; }
  [[nodiscard]] T operator[](std::uint32_t i) const noexcept { return values_[i]; }
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
  // What is known of an item in the work on one person.
  static constexpr std::uint8_t reached = 1;   // by the first order
  static constexpr std::uint8_t own = 2;       // in the person's signal
  static constexpr std::uint8_t excluded = 4;  // rated overall, and not wanted again

  struct Candidate {
    float bound;  // no score can be higher
    std::uint32_t item;
  };

  void begin(const Signal& signal);
  void mark_excluded(const Query& query);
  void end();
  void first_orders();
  void higher_orders(std::size_t branch);
  void second_orders();
  void own_part();
  double bound_rest();
  [[nodiscard]] double second_order(std::uint32_t item) const;
  [[nodiscard]] bool settle(const Query& query, std::vector<ScoredItem>& list);
  void project();
  [[nodiscard]] double estimated_second_order(std::uint32_t item) const;
  [[nodiscard]] bool settle_estimated(const Query& query, std::vector<ScoredItem>& list);
  [[nodiscard]] float first(std::uint32_t item) const noexcept;
  [[nodiscard]] float rounded(std::uint32_t item, double second) const noexcept {
    return static_cast<float>(static_cast<double>(first(item)) + second);
  }
  [[nodiscard]] bool eligible(const Query& query, std::uint32_t i) const noexcept {
    return (flags_[i] & excluded) == 0 && (query.allowed.empty() || query.allowed[i] != 0);
  }

  const SparseGraphs& graphs_;
  std::size_t branches_;
  std::vector<std::vector<std::size_t>> by_graph_;         // branches of each graph
  std::vector<std::vector<std::size_t>> second_by_graph_;  // of these, those of second order
  std::vector<std::size_t> second_branches_;               // all of these
  bool higher_ = false;
  std::vector<float> a1_, a2_;

  std::vector<std::uint32_t> items_;  // of the person
  std::vector<float> x_;              // per item and branch
  std::vector<std::uint32_t> marked_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> reached_;
  std::vector<float> y_;                        // per item and branch: x P
  std::vector<float> own_;                      // per item: what own items add to the second order
  SparseSum<double> second_;                    // sum of a_2 x P^2
  SparseSum<float> higher_sum_, power_, next_;  // orders above two
  std::vector<float> rest_;                     // by branch of second order
  std::vector<Candidate> candidates_;
  // Where second orders are estimated, per branch: a_2 x W and its length.
  std::vector<std::vector<float>> z_;
  std::vector<float> z_length_;
};

}  // namespace palate
