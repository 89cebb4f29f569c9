// Which form the graphs of a plan take and how second orders are computed: chosen before the work
// begins, from the shape of the data and the memory at hand.
#pragma once

#include <string>

#include "base/thread_pool.hpp"
#include "graph/filter_plan.hpp"
#include "palate/ratings.hpp"

namespace palate {

enum class Storage {
  dense,    ///< packed logarithms, most links there (graph/dense_graph.hpp)
  sparse,   ///< every link, row by row
  bounded,  ///< the strongest links of each item alone
  whole,    ///< dense, and every filter multiplied out (ranking/whole_filters.hpp)
};
[[nodiscard]] std::string_view storage_name(Storage storage) noexcept;

struct Computation {
  Storage storage = Storage::sparse;
  bool exact = true;           ///< second orders by bounds and exact sums, not by a subspace alone
  std::size_t neighbours = 0;  ///< links per item, if bounded
  std::size_t bytes = 0;       ///< estimated peak of fitting, the ratings not counted
  std::string why = {};        ///< one sentence
};

/// What the links of one graph are likely to be.
struct GraphEstimate {
  double density = 0;  ///< share of all pairs that are linked
  double entries = 0;
  double room = 0;  ///< entries that a dense graph has room for
};
/// From the pairs of items that users rated, and a sample of items.
[[nodiscard]] GraphEstimate estimate_graph(const Ratings& ratings);

/// Throws Error{too_large} if nothing that is allowed fits into `memory` bytes (0: what the machine
/// has to spare). Where the solver is automatic, `exact` is what is known beforehand; the dense
/// form may still turn to the fast solver after trying both.
[[nodiscard]] Computation choose_computation(const Ratings& ratings, const FilterPlan& plan,
                                             std::size_t memory);

/// For work on lists of links alone: how many to keep per item; 0: all. Throws as
/// choose_computation.
[[nodiscard]] std::size_t neighbours_that_fit(const Ratings& ratings, std::size_t memory);

}  // namespace palate
