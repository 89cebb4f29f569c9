// Ratings as a dense graph is built from them: in the order of places, in groups of 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_buffer.hpp"
#include "base/thread_pool.hpp"
#include "graph/item_graph.hpp"
#include "kernels/graph/user_pairs.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// The ratings that a graph is built from, in places and in groups of 16 as
/// kernels/graph/user_pairs.hpp wants them. As floats they are scaled by 1/sqrt(d_uc): then the
/// product of two of them is r_uci r_ucj / d_uc. If all are small multiples of a unit they are kept
/// as those, with weights unit^2 / d_uc, and places are short.
struct PlacedRatings {
  std::size_t width = 0;                  ///< criteria
  bool coded = false;                     ///< and then short_places, codes and weights are there
  std::vector<kernels::RatedList> lists;  ///< by user, and one more that is empty
  HugeBuffer<std::uint32_t> places;
  HugeBuffer<float> values;
  HugeBuffer<std::uint16_t> short_places;
  HugeBuffer<std::uint8_t> codes;
  HugeBuffer<float> weights;
  std::vector<std::uint64_t> rater_starts;  ///< by place
  HugeBuffer<kernels::Rater> raters;

  [[nodiscard]] std::uint32_t place_at(std::size_t at) const {
    return coded ? short_places[at] : places[at];
  }
  /// sums[j] += N_ij for the item i at a place, over its raters in order.
  void add_pairs(std::size_t place, float* sums) const;
};

/// `place_of`: by item.
[[nodiscard]] PlacedRatings place_ratings(const Ratings& ratings, CriterionSet criteria,
                                          std::span<const std::uint32_t> place_of,
                                          ThreadPool& pool);

}  // namespace palate
