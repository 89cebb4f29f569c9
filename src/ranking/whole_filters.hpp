// The filters of a plan as whole matrices, for graphs of few items: M_b = sum_k a_k P_f^k of each
// branch b. A score is then a sum over what someone rated, s_i = sum_j sum_b x_b[j] M_b[j, i].
//
// P_f^k = P_f P_f^(k-1) is symmetric, so half of each product is computed and turned around.
#pragma once

#include <memory>
#include <vector>

#include "kernels/lists/strip_score.hpp"
#include "ranking/packed_graphs.hpp"

namespace palate {

struct WholeFilters : PackedGraphs {
  /// M_b[j, 32 s + c] at ((s * items + j) * branches + b) * 32 + c: strips of 32 columns as
  /// kernels/lists/strip_score.hpp has them, indices being places; 0 past the items.
  Array<float> entries;

  /// Multiplies the matrices out; the same on any number of threads.
  [[nodiscard]] static WholeFilters build(std::shared_ptr<const FilterPlan> plan, ItemOrder order,
                                          std::vector<DenseGraph> graphs, ThreadPool& pool);

  void save(Parts& parts) const;
  [[nodiscard]] GraphSize size() const noexcept;
  /// Throws Error{corrupt}.
  [[nodiscard]] static WholeFilters load(std::shared_ptr<const FilterPlan> plan, const Parts& parts,
                                         std::size_t items);

  [[nodiscard]] std::size_t branches() const noexcept { return plan->branches.size(); }
  [[nodiscard]] std::size_t strips() const noexcept {
    return (items() + kernels::score_width - 1) / kernels::score_width;
  }
  /// Where row j of strip s begins: entries of the first branch.
  [[nodiscard]] std::size_t offset(std::size_t s, std::size_t j = 0) const noexcept {
    return (s * items() + j) * branches() * kernels::score_width;
  }
  /// M_b[j, i].
  [[nodiscard]] float at(std::size_t b, std::size_t j, std::size_t i) const noexcept {
    return entries[offset(i / kernels::score_width, j) + b * kernels::score_width +
                   i % kernels::score_width];
  }
};

/// The highest power that counts.
[[nodiscard]] std::size_t filter_order(const Branch& branch);

/// What building and keeping `branches` of them for so many items takes, graphs not counted.
[[nodiscard]] double whole_filter_bytes(double items, double branches);

}  // namespace palate
