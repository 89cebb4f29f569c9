#include "methods/linear/sparse_lists.hpp"

#include <algorithm>

#include "ranking/select.hpp"

namespace palate {
namespace {

// Scores of the items that one person's ratings reach; 0 and not reached in between.
struct Reach {
  explicit Reach(std::size_t count) : scores(count, 0.0F), reached(count, 0) {}

  std::vector<float> scores;
  std::vector<std::uint8_t> reached;
  std::vector<std::uint32_t> items;
};

void sum_rows(const SparseWeights& weights, const Asking& asking, Reach& reach) {
  const auto columns = weights.pattern.columns.span();
  for (std::size_t k = 0; k < asking.rated.size(); ++k) {
    const std::uint32_t j = asking.rated[k];
    for (std::uint64_t n = weights.pattern.offsets[j]; n < weights.pattern.offsets[j + 1]; ++n) {
      const std::uint32_t i = columns[n];
      if (reach.reached[i] == 0) reach.items.push_back(i);
      reach.reached[i] = 1;
      reach.scores[i] += asking.x[k] * weights.weights[n];
    }
  }
}

std::vector<ScoredItem> list_of(const SparseWeights& weights, const Asking& asking, Reach& reach) {
  const std::size_t items = weights.pattern.items();
  if (std::min(asking.top, items) == 0) return {};
  sum_rows(weights, asking, reach);
  const auto may = [&](std::uint32_t i) {
    return (asking.allowed.empty() || asking.allowed[i] != 0) &&
           !std::binary_search(asking.hidden.begin(), asking.hidden.end(), i);
  };
  kernels::TopK best;
  best.reset(std::min(asking.top, items));
  for (const std::uint32_t i : reach.items) {
    const float raw = reach.scores[i] * (weights.targets.empty() ? 1.0F : weights.targets[i]);
    const float score = boosted(raw, asking.boost.empty() ? 1.0F : asking.boost[i]);
    if ((!best.full() || score >= best.worst()) && may(i)) best.offer(score, i);
  }
  // What is not reached scores 0.
  for (std::uint32_t i = 0; i < items; ++i) {
    if (best.full() && best.worst() > 0) break;
    if (reach.reached[i] == 0 && may(i)) best.offer(0, i);
  }
  for (const std::uint32_t i : reach.items) {
    reach.scores[i] = 0;
    reach.reached[i] = 0;
  }
  reach.items.clear();
  return to_list(best);
}

}  // namespace

void sparse_lists(const SparseWeights& weights, std::span<const Asking> askings,
                  std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) {
  std::vector<Reach> reaches(pool.size(), Reach(0));
  pool.for_chunks(askings.size(), 64, [&](std::size_t begin, std::size_t end, unsigned worker) {
    Reach& reach = reaches[worker];
    if (reach.scores.empty()) reach = Reach(weights.pattern.items());
    for (std::size_t k = begin; k < end; ++k) lists[k] = list_of(weights, askings[k], reach);
  });
}

}  // namespace palate
