// Lists of many people at once from a matrix of weights between all items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "core/recommender.hpp"

namespace palate {

/// What one person rated, as signals, and what may be in their list. Views; valid during the call.
struct Asking {
  std::span<const std::uint32_t> rated = {};
  std::span<const float> x = {};               ///< one per rated item
  std::span<const std::uint32_t> hidden = {};  ///< items to leave out, ascending
  std::span<const std::uint8_t> allowed = {};  ///< per item, 0: leave out; empty: all allowed
  std::size_t top = 10;
  std::span<const float> boost = {};  ///< per item, as in Query
};

/// w_ji at weights[j * items + i], or as short integers at shorts[j * items + i].
struct DenseWeights {
  std::span<const float> weights;
  std::size_t items = 0;
  std::span<const float> targets = {};  ///< scores are multiplied by these; empty: 1
  std::span<const std::int16_t> shorts = {};
};

/// scores_i = targets_i sum_k x_k w_ji, j = rated[k], in order of k.
void dense_scores(const DenseWeights& weights, std::span<const std::uint32_t> rated,
                  std::span<const float> x, std::span<float> scores);

/// lists[k] becomes the best of askings[k], best first, ties by the lower index, with the scores of
/// dense_scores to the bit, boosted. Worth its while for many people.
void dense_lists(const DenseWeights& weights, std::span<const Asking> askings,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool);

}  // namespace palate
