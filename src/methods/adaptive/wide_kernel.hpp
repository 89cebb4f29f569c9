// Weights between so many items that a matrix of all pairs would be too large.
//
// Links N_ij are kept where two items share a rater. The graph's weights are powers of them. The
// ridge A = M + diag(r) is inverted on a core, the m items with the most ratings. The others, the
// tail, meet the core alone: with A_tt taken for its diagonal d, and the tail too weak to change
// what the core knows of itself,
//
//   Q = A_cc^-1,  W = Q A_ct,  Q_tc = -d^-1 W^T,  Q_ii = 1/d_i + (A_ic W_ci) / d_i^2, i in the tail
//
// and K_ji = -Q_ji / Q_ii as ever, 0 between two items of the tail. With every item in the core
// this is the ridge itself. Beer ratings (10,832 items) with a core of 3,000: Recall and NDCG at 5
// and 10 are .0810 .1271 .1622 .1641, against .0810 .1268 .1626 .1641 with all of them; neither
// the Schur complement A_cc - A_ct d^-1 A_tc nor links within the tail made it better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/fit_resources.hpp"
#include "graph/item_graph.hpp"
#include "methods/adaptive/adaptive.hpp"
#include "methods/adaptive/kernel.hpp"
#include "methods/adaptive/levels.hpp"

namespace palate {

struct WideOptions {
  std::size_t core = 0;   ///< items that are inverted together
  std::size_t kept = 0;   ///< of each item's weights, so many of the largest; 0: all
  std::size_t links = 0;  ///< of each row of N, so many of the largest
};

/// How many items can be inverted as a whole, and weighted pair by pair, in so many bytes.
[[nodiscard]] bool all_inverted(std::size_t items, double bytes);
[[nodiscard]] bool all_pairs(std::size_t items, double bytes);
/// For so many items, where not all can be inverted.
[[nodiscard]] WideOptions wide_options(std::size_t items, double bytes);

/// N where it is not 0, with its diagonal; of each row the `most` largest. Sums are in double
/// precision, in order of people.
[[nodiscard]] ItemGraph sparse_gram(const Levels& levels, double user_power, double level_power,
                                    std::size_t most, const FitResources& resources);

/// K by the item that is scored: row i names the j with K_ji. Largest is by |K_ji| n_j^-alpha.
[[nodiscard]] ItemGraph wide_kernel(const ItemGraph& n, const std::vector<std::uint32_t>& raters,
                                    const Adaptive& settings, const WideOptions& options,
                                    const FitResources& resources);
/// The same of a ridge, all of it: row j, column i is K_ji.
[[nodiscard]] ItemMatrix wide_ridge(const ItemGraph& n, const std::vector<std::uint32_t>& raters,
                                    const Adaptive& settings, const WideOptions& options,
                                    const FitResources& resources);

}  // namespace palate
