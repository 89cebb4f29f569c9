// What is surely as good as the last place of someone's list, while the list is looked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/huge_buffer.hpp"
#include "ranking/dense_people.hpp"

namespace palate {

/// Of each person the K best lower bounds of scores that a worker has seen, side by side.
class BestBounds {
 public:
  BestBounds() = default;
  explicit BestBounds(const DensePeople& people)
      : starts_(people.size() + 1), counts_(people.size()) {
    for (std::size_t p = 0; p < people.size(); ++p) starts_[p + 1] = starts_[p] + people[p].top;
    values_ = HugeBuffer<float>(starts_.back(), Contents::any);
  }
  [[nodiscard]] bool empty() const noexcept { return starts_.empty(); }
  /// Fetches what offer(p, ...) will need.
  void ask_early(std::size_t p) const { __builtin_prefetch(values_.data() + starts_[p]); }
  void offer(std::size_t p, float bound) {
    float* const heap = values_.data() + starts_[p];
    const std::size_t most = starts_[p + 1] - starts_[p];
    std::uint32_t& count = counts_[p];
    if (count == most) {
      if (most == 0 || bound <= heap[0]) return;
      std::pop_heap(heap, heap + count--, std::greater<>());
    }
    heap[count++] = bound;
    std::push_heap(heap, heap + count, std::greater<>());
  }
  /// No item below it is in the list; -infinity before there are K.
  [[nodiscard]] float worst(std::size_t p) const {
    return counts_[p] > 0 && counts_[p] == starts_[p + 1] - starts_[p]
               ? values_[starts_[p]]
               : -std::numeric_limits<float>::infinity();
  }

 private:
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> counts_;
  HugeBuffer<float> values_;  // heaps, the lowest first
};

}  // namespace palate
