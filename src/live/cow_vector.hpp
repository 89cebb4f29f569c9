// A long array of which many versions live at once and share what they have in common.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace palate::live {

/// One that nothing has had before.
[[nodiscard]] inline std::uint64_t new_edition() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// A copy shares all chunks; a change clones the one chunk it lies in, once per edition. Only the
/// version that is being made is changed, under an edition that no earlier version had; what has
/// been handed out is read alone.
template <class T, std::size_t ChunkSize>
class CowVector {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return chunks_[i / ChunkSize]->values[i % ChunkSize];
  }
  /// The element, to be changed.
  [[nodiscard]] T& edit(std::size_t i, std::uint64_t edition) {
    std::shared_ptr<Chunk>& chunk = chunks_[i / ChunkSize];
    if (chunk->edition != edition) {
      chunk = std::make_shared<Chunk>(*chunk);
      chunk->edition = edition;
    }
    return chunk->values[i % ChunkSize];
  }
  void push_back(T value, std::uint64_t edition) {
    if (size_ % ChunkSize == 0) {
      chunks_.push_back(std::make_shared<Chunk>());
      chunks_.back()->edition = edition;
    }
    ++size_;
    edit(size_ - 1, edition) = std::move(value);
  }

 private:
  struct Chunk {
    std::uint64_t edition = 0;
    std::array<T, ChunkSize> values{};
  };
  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace palate::live
