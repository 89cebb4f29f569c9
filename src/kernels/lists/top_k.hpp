// The best few of many scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace palate::kernels {

/// Keeps the `capacity` best of what is offered: higher scores first, ties by the lower index.
/// Offers may come in any order. Memory is reserved once and reused.
class TopK {
 public:
  using Entry = std::pair<float, std::uint32_t>;  // score, index

  void reset(std::size_t capacity) {
    capacity_ = capacity;
    heap_.clear();
    heap_.reserve(std::min(capacity, most_reserved));
  }
  void offer(float score, std::uint32_t index) {
    if (heap_.size() < capacity_) {
      heap_.emplace_back(score, index);
      std::push_heap(heap_.begin(), heap_.end(), better);
    } else if (capacity_ > 0 && better({score, index}, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.back() = {score, index};
      std::push_heap(heap_.begin(), heap_.end(), better);
    }
  }
  [[nodiscard]] bool full() const noexcept { return heap_.size() == capacity_; }
  /// The lowest score kept; only if something is.
  [[nodiscard]] float worst() const noexcept { return heap_.front().first; }
  /// Best first. The object must be reset before further use.
  [[nodiscard]] std::span<const Entry> sorted() {
    std::sort(heap_.begin(), heap_.end(), better);
    return heap_;
  }

  [[nodiscard]] static bool better(const Entry& a, const Entry& b) noexcept {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  }

 private:
  // A caller may ask for more than there will ever be.
  static constexpr std::size_t most_reserved = 4096;

  std::size_t capacity_ = 0;
  std::vector<Entry> heap_;  // the worst kept entry in front
};

}  // namespace palate::kernels
