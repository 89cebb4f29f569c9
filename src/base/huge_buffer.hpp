// Large memory straight from the system, in huge pages where they can be had: on many machines the
// first touch of ordinary pages costs more than the work that is done in them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace palate {

enum class Contents { zero, any };

/// Aligned for any vector. Pages that are never touched cost nothing. What is given back is kept
/// for the next to ask, up to two gigabytes, in a way that lets the system take it first, until
/// release_memory() (palate/memory.hpp).
/// Throws std::bad_alloc.
[[nodiscard]] std::shared_ptr<void> huge_memory(std::size_t bytes, Contents contents);

/// Gives the whole pages among these bytes back to the system. What stood in the bytes is gone; the
/// memory may still be used.
void forget_pages(void* begin, std::size_t bytes) noexcept;

/// An array in such memory.
template <class T>
class HugeBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HugeBuffer() = default;
  explicit HugeBuffer(std::size_t size, Contents contents = Contents::zero)
      : memory_(huge_memory(size * sizeof(T), contents)),
        span_(static_cast<T*>(memory_.get()), size) {}

  [[nodiscard]] T* data() const noexcept { return span_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return span_.size(); }
  [[nodiscard]] std::span<T> span() const noexcept { return span_; }
  [[nodiscard]] T& operator[](std::size_t k) const noexcept { return span_[k]; }
  /// Of some elements that nobody needs any more.
  void forget(std::size_t first, std::size_t count) const noexcept {
    forget_pages(span_.data() + first, count * sizeof(T));
  }
  [[nodiscard]] const std::shared_ptr<void>& owner() const noexcept { return memory_; }

 private:
  std::shared_ptr<void> memory_;
  std::span<T> span_;
};

}  // namespace palate
