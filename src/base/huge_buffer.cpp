#include "base/huge_buffer.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <vector>

#include "palate/memory.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace palate {
namespace {

constexpr std::size_t page = std::size_t{2} << 20U;

struct Block {
  void* start = nullptr;    // of the mapping
  std::size_t whole = 0;    // its size
  void* aligned = nullptr;  // the first huge page in it
  std::size_t usable = 0;
  bool held = false;  // kept without a word to the kernel
};

Block map(std::size_t bytes) {
  Block block;
  block.usable = (bytes + page - 1) / page * page;
  block.whole = block.usable + page;  // so that a border of huge pages lies within
  block.start = ::mmap(nullptr, block.whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block.start == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(block.start);
  block.aligned = static_cast<char*>(block.start) + (page - address % page) % page;
#ifdef MADV_HUGEPAGE
  ::madvise(block.aligned, block.usable, MADV_HUGEPAGE);  // a wish: without it, only slower
#endif
  return block;
}

// Blocks that were given back and may be used again. The kernel is told that it can take their
// pages whenever it is short of memory, except for small ones: telling it stops every core.
class Store {
 public:
  bool take(std::size_t bytes, Block& out) {
    const std::lock_guard lock(mutex_);
    std::size_t best = blocks_.size();
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const std::size_t size = blocks_[k].usable;
      if (size < bytes || size > 2 * bytes + page) continue;
      if (best == blocks_.size() || size < blocks_[best].usable) best = k;
    }
    if (best == blocks_.size()) return false;
    out = blocks_[best];
    kept_ -= out.usable;
    if (out.held) held_ -= out.usable;
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(best));
    return true;
  }
  void give(Block block) noexcept {
    const std::lock_guard lock(mutex_);
#ifdef MADV_FREE
    block.held = block.usable <= small && held_ + block.usable <= most_held;
    if (kept_ + block.usable <= most_kept && blocks_.size() < most_blocks &&
        (block.held || ::madvise(block.aligned, block.usable, MADV_FREE) == 0)) {
      kept_ += block.usable;
      if (block.held) held_ += block.usable;
      blocks_.push_back(block);
      return;
    }
#endif
    ::munmap(block.start, block.whole);
  }
  std::size_t release() noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t bytes = kept_;
    for (const Block& block : blocks_) ::munmap(block.start, block.whole);
    blocks_.clear();
    kept_ = held_ = 0;
    return bytes;
  }

 private:
  static constexpr std::size_t most_kept = std::size_t{2} << 30U;
  static constexpr std::size_t most_blocks = 64;
  static constexpr std::size_t small = std::size_t{16} << 20U;
  static constexpr std::size_t most_held = std::size_t{64} << 20U;

  std::mutex mutex_;
  std::vector<Block> blocks_ = [] {
    std::vector<Block> room;
    room.reserve(most_blocks);
    return room;
  }();
  std::size_t kept_ = 0;
  std::size_t held_ = 0;
};

// Never destroyed: memory may be given back by objects that live as long as the program.
Store& store() {
  static auto* const one = new Store;
  return *one;
}

}  // namespace

std::shared_ptr<void> huge_memory(std::size_t bytes, Contents contents) {
  if (bytes < page / 4) {
    void* small = ::operator new (bytes, std::align_val_t{64});
    if (contents == Contents::zero) std::memset(small, 0, bytes);
    return {small, [](void* p) { ::operator delete (p, std::align_val_t{64}); }};
  }
  Block block;
  if (store().take(bytes, block)) {
    if (contents == Contents::zero) std::memset(block.aligned, 0, bytes);
  } else {
    block = map(bytes);
  }
  return {block.aligned, [block](void*) { store().give(block); }};
}

void forget_pages(void* begin, std::size_t bytes) noexcept {
  constexpr std::size_t small_page = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::size_t skipped = (small_page - address % small_page) % small_page;
  // A wish as well. Little memory comes from the allocator, which is not to be disturbed.
  if (bytes < page / 4) return;
  const std::size_t whole = (bytes - skipped) / small_page * small_page;
  ::madvise(static_cast<char*>(begin) + skipped, whole, MADV_DONTNEED);
}

std::size_t release_memory() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
  return store().release();
}

}  // namespace palate
