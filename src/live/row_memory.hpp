// Memory for rows that come and go: in huge pages, and used again.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace palate::live {

/// Rows of ordinary memory lie in small pages all over the place, and to read them took twice as
/// long. Blocks of about the same size are used for each other; what has been taken from the system
/// is given back with the last block. Safe to use from many threads.
class RowMemory : public std::enable_shared_from_this<RowMemory> {
 public:
  /// Aligned for any vector. Throws std::bad_alloc.
  [[nodiscard]] std::shared_ptr<std::byte> take(std::size_t bytes);

 private:
  void give(std::byte* block, std::size_t kind) noexcept;

  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> slabs_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<std::vector<std::byte*>> free_;  // by kind
};

}  // namespace palate::live
