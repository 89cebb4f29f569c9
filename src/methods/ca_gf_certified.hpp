// Exact top lists on a dense graph without ever forming P^2.
//
// The second-order score of item i is y p_i, y = x P_f being the first-order row and p_i row i of
// P_f. For orthonormal Z, y p_i = (y Z)(Z^T p_i) + y' p_i', the primes being the parts outside Z,
// and |y' p_i'| <= |y'| |p_i'|. With W = P_f Z the first term costs `rank` multiply-adds (y Z = x
// W, Z^T p_i = W_i). So every score is known to within a radius, and only items whose upper bound
// reaches the K-th best lower bound need the exact dot y p_i. The list is then the exact one,
// whatever Z is; a good Z only makes the candidates few.
#pragma once

#include <vector>

#include "core/recommender.hpp"
#include "methods/ca_gf_graphs.hpp"

namespace palate {

/// Serves plans whose filters are of first or second order.
class CertifiedScorer {
 public:
  explicit CertifiedScorer(const CaGfGraphs& graphs);

  void recommend(std::span<const Query> queries, std::span<const Signal> signals,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const;
  /// The score of every item, as recommend gives it.
  void score(const Signal& signal, std::span<float> scores) const;

 private:
  struct Batch;
  struct Candidate {
    std::uint32_t item;
    float bound;        // no score can be higher
    double second = 0;  // sum_f a_2 y_f p_i
  };

  // For many people at once, strip by strip of the graph.
  void first_orders_by_strips(std::span<const Signal> signals, Batch& batch,
                              ThreadPool& pool) const;
  void second_orders_by_strips(std::span<std::vector<Candidate>> candidates, const Batch& batch,
                               ThreadPool& pool) const;
  // For one person, from the sparse rows.
  void first_orders_by_rows(const Signal& signal, std::size_t person, Batch& batch) const;
  [[nodiscard]] double second_order(std::size_t person, std::size_t item, const Batch& batch) const;

  void project(const Signal& signal, std::size_t person, Batch& batch) const;
  /// Items that may be in the list, highest bound first.
  [[nodiscard]] std::vector<Candidate> candidates(const Query& query, std::size_t person,
                                                  Batch& batch, std::vector<float>& radius) const;
  [[nodiscard]] static float rounded(float first, double second) noexcept {
    return static_cast<float>(static_cast<double>(first) + second);
  }

  const CaGfGraphs& graphs_;
  std::vector<std::size_t> second_;  // branches with a second order
  std::size_t stride_;               // items, rounded up to whole strips
};

}  // namespace palate
