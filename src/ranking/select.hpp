// From scores of all items to the list of one query.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/recommender.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/lists/boosts.hpp"
#include "kernels/lists/top_k.hpp"

namespace palate {

[[nodiscard]] inline bool allowed(const Query& query, std::uint32_t item) {
  return query.allowed.empty() || query.allowed[item] != 0;
}

/// Marks what must not be recommended: score(i) becomes -infinity. `score` maps an item to a
/// float&.
template <class Score>
void mask_ineligible(const Query& query, std::size_t items, const Score& score) {
  constexpr float never = -std::numeric_limits<float>::infinity();
  if (query.exclude_seen) {
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      if ((query.ratings.present[k] & 1U) != 0) score(query.ratings.items[k]) = never;
    }
  }
  for (std::size_t i = 0; i < query.allowed.size() && i < items; ++i) {
    if (query.allowed[i] == 0) score(i) = never;
  }
}

[[nodiscard]] inline std::vector<ScoredItem> to_list(kernels::TopK& top) {
  std::vector<ScoredItem> list;
  const auto entries = top.sorted();
  list.reserve(entries.size());
  for (const auto& [score, item] : entries) list.push_back({item, score});
  return list;
}

/// The list of one query from a row of scores, which is boosted and masked on the way.
[[nodiscard]] inline std::vector<ScoredItem> select_top(const Query& query,
                                                        std::span<float> scores) {
  if (!query.boost.empty()) kernels::boost_scores(scores, query.boost);
  mask_ineligible(query, scores.size(), [&](std::size_t i) -> float& { return scores[i]; });
  kernels::TopK top;
  top.reset(std::min(query.top, scores.size()));
  constexpr float lowest = std::numeric_limits<float>::lowest();
  const std::size_t blocks = query.top == 0 ? 0 : scores.size() / kernels::block_width;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kernels::block_width;
    std::uint32_t passing =
        kernels::at_least(scores.data() + first, top.full() ? top.worst() : lowest);
    for (; passing != 0; passing &= passing - 1) {
      const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(passing));
      top.offer(scores[i], static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = blocks * kernels::block_width; i < scores.size(); ++i) {
    if (scores[i] >= lowest) top.offer(scores[i], static_cast<std::uint32_t>(i));
  }
  return to_list(top);
}

/// Whether lists of some of them go by boosts.
[[nodiscard]] inline bool any_boost(std::span<const Query> queries) {
  return std::any_of(queries.begin(), queries.end(),
                     [](const Query& query) { return !query.boost.empty(); });
}

/// Lists of many queries by a method that scores every item: `recommender.score` and select_top.
inline void recommend_by_scores(const Recommender& recommender, std::span<const Query> queries,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) {
  pool.for_chunks(queries.size(), 16, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> scores(recommender.items());
    for (std::size_t k = begin; k < end; ++k) {
      recommender.score(queries[k], scores);
      lists[k] = select_top(queries[k], scores);
    }
  });
}

}  // namespace palate
