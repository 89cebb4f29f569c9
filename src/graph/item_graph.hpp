// The item-item similarity graph of all criteria.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.hpp"
#include "core/array.hpp"
#include "core/criterion_set.hpp"
#include "core/parts.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// A symmetric sparse matrix with sorted columns (CSR, both triangles) without its values: filters
/// with different powers share one pattern.
struct GraphPattern {
  Array<std::uint64_t> offsets;  ///< items + 1
  Array<std::uint32_t> columns;

  [[nodiscard]] std::size_t items() const noexcept {
    return offsets.empty() ? 0 : offsets.size() - 1;
  }
  [[nodiscard]] std::size_t entries() const noexcept { return columns.size(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const noexcept {
    return columns.span().subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }

  void save(Parts& parts, const std::string& name) const;
  /// Checks bounds and order.
  [[nodiscard]] static GraphPattern load(const Parts& parts, const std::string& name,
                                         std::size_t items);
};

struct ItemGraph {
  GraphPattern pattern;
  Array<float> values;
};

/// P = Rn^T Rn with Rn = D_U^-1/2 R D_I^-1/2, R being the matrices of the chosen criteria stacked
/// by rows: P_ij = sum over criteria c and users u of (r_uci r_ucj / d_uc) / sqrt(d_i d_j). Sums of
/// 0 give 0. The sums run in the order of users and criteria, so the result is the same with any
/// number of threads and exactly symmetric.
[[nodiscard]] ItemGraph build_item_graph(const Ratings& ratings, CriterionSet criteria,
                                         ThreadPool& pool, const Progress& progress = {});

/// The same graph with only the `neighbours` strongest links of each item; a link stays if
/// either end keeps it, so the graph stays symmetric. Strength is the sum before items are
/// normalised, N, which keeps the links to popular items, ties by the lower index: of the ways
/// tried, the one that costs least accuracy. Never holds all links.
[[nodiscard]] ItemGraph build_bounded_graph(const Ratings& ratings, CriterionSet criteria,
                                            std::size_t neighbours, ThreadPool& pool,
                                            const Progress& progress = {});

/// Of two different items i and j, and sum over users of r_ui r_uj: their similarity.
using PairValue = std::function<double(std::size_t i, std::size_t j, double sum)>;
/// Similarities of the items by their ratings on one criterion, for the pairs that someone rated.
[[nodiscard]] ItemGraph build_pair_graph(const Ratings& ratings, std::size_t criterion,
                                         const PairValue& value, ThreadPool& pool,
                                         const Progress& progress = {});

/// d_i: the sum of each item's ratings on some criteria.
[[nodiscard]] std::vector<double> item_sums(const Ratings& ratings, CriterionSet criteria);

/// P with every entry raised to a power.
[[nodiscard]] Array<float> hadamard_power(const Array<float>& values, double power,
                                          ThreadPool& pool);

}  // namespace palate
