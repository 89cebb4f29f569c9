// A sum that reaches few of many places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palate {

/// A vector that is 0 almost everywhere: dense values and a list of the places that were touched.
template <class T>
class SparseSum {
 public:
  explicit SparseSum(std::size_t n) : values_(n, T{0}), seen_(n, 0) {}

  void add(std::uint32_t i, T x) {
    if (seen_[i] == 0) {
      seen_[i] = 1;
      touched_.push_back(i);
    }
    values_[i] += x;
  }
  void add_row(std::span<const std::uint32_t> columns, const float* row, T x) {
    for (std::size_t k = 0; k < columns.size(); ++k) add(columns[k], x * static_cast<T>(row[k]));
  }
  void add_scaled(const SparseSum& other, T a) {
    for (const std::uint32_t i : other.touched_) add(i, a * other.values_[i]);
  }
  /// In the order of the first touch, which depends on what was added alone.
  [[nodiscard]] const std::vector<std::uint32_t>& touched() const noexcept { return touched_; }
  [[nodiscard]] bool has(std::uint32_t i) const noexcept { return seen_[i] != 0; }
  [[nodiscard]] T operator[](std::uint32_t i) const noexcept { return values_[i]; }
  void clear() {
    for (const std::uint32_t i : touched_) {
      values_[i] = 0;
      seen_[i] = 0;
    }
    touched_.clear();
  }

 private:
  std::vector<T> values_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace palate
