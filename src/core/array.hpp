// An immutable array that either owns its memory or shares someone else's (a mapped file).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_buffer.hpp"

namespace palate {

template <class T>
class Array {
 public:
  Array() = default;
  /// Takes over a vector.
  Array(std::vector<T> values)  // NOLINT(google-explicit-constructor): an array is what it holds
  {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = *owner;
    owner_ = std::move(owner);
  }
  /// Refers to memory that lives as long as `owner`.
  Array(std::span<const T> view, std::shared_ptr<const void> owner)
      : view_(view), owner_(std::move(owner)) {}
  /// Shares a buffer.
  explicit Array(const HugeBuffer<T>& buffer) : Array(buffer.span(), buffer.owner()) {}

  [[nodiscard]] std::span<const T> span() const noexcept { return view_; }
  [[nodiscard]] const T* data() const noexcept { return view_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return view_.size(); }
  [[nodiscard]] bool empty() const noexcept { return view_.empty(); }
  [[nodiscard]] const T& operator[](std::size_t k) const noexcept { return view_[k]; }
  [[nodiscard]] auto begin() const noexcept { return view_.begin(); }
  [[nodiscard]] auto end() const noexcept { return view_.end(); }

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace palate
