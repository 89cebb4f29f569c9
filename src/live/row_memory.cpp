#include "live/row_memory.hpp"

#include <bit>

#include "base/huge_buffer.hpp"

namespace palate::live {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t slab = std::size_t{8} << 20U;

// Sizes come in eight steps per power of two: at most an eighth of a block is not used.
struct Size {
  std::size_t kind, bytes;
};
Size size_for(std::size_t bytes) {
  const std::size_t units = (bytes + alignment - 1) / alignment;
  const auto width = static_cast<std::size_t>(std::bit_width(units));
  if (width <= 4) return {units, units * alignment};
  const std::size_t shift = width - 4;
  const std::size_t steps = (units + (std::size_t{1} << shift) - 1) >> shift;  // 8 to 16
  return {shift * 16 + steps, (steps << shift) * alignment};
}

}  // namespace

std::shared_ptr<std::byte> RowMemory::take(std::size_t bytes) {
  const Size wanted = size_for(bytes);
  const std::size_t kind = wanted.kind;
  const std::size_t size = wanted.bytes;
  std::byte* block = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (free_.size() <= kind) free_.resize(kind + 1);
    if (!free_[kind].empty()) {
      block = free_[kind].back();
      free_[kind].pop_back();
    } else {
      if (left_ < size) {
        const std::size_t whole = size > slab / 4 ? size : slab;
        slabs_.push_back(huge_memory(whole, Contents::any));
        next_ = static_cast<std::byte*>(slabs_.back().get());
        left_ = whole;
      }
      block = next_;
      next_ += size;
      left_ -= size;
    }
  }
  return {block, [mine = shared_from_this(), kind](std::byte* p) { mine->give(p, kind); }};
}

// A block for which there is no room in the list stays unused until the end.
void RowMemory::give(std::byte* block, std::size_t kind) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    free_[kind].push_back(block);
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace palate::live
