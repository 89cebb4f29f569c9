// The strongest few of many weights, whatever their sign.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palate {

/// Keeps the `capacity` entries of the largest strength, ties by the lower index. The result does
/// not depend on the order of offers, each of which has an index of its own.
class Strongest {
 public:
  struct Entry {
    float strength, value;
    std::uint32_t index;
  };

  explicit Strongest(std::size_t capacity) : capacity_(capacity) {}

  void offer(float strength, float value, std::uint32_t index) {
    if (strength < least_ || strength == 0) return;
    entries_.push_back({strength, value, index});
    if (entries_.size() >= 2 * capacity_) shrink();
  }
  /// In order of index.
  [[nodiscard]] std::span<const Entry> sorted() {
    shrink();
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.index < b.index; });
    return entries_;
  }

 private:
  void shrink() {
    if (entries_.size() <= capacity_) return;
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(capacity_) - 1;
    std::nth_element(entries_.begin(), last, entries_.end(), [](const Entry& a, const Entry& b) {
      return a.strength != b.strength ? a.strength > b.strength : a.index < b.index;
    });
    least_ = last->strength;
    entries_.resize(capacity_);
  }

  std::size_t capacity_;
  float least_ = 0;  // what is weaker is not among them
  std::vector<Entry> entries_;
};

}  // namespace palate
