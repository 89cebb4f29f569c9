// A whole file as read-only memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace palate {

/// Maps a regular file; unmaps it when it goes. Throws Error{io} for what cannot be opened or is
/// not a regular file. The view of an empty file is empty. Replacing the file by a rename leaves
/// the view as it was; shortening the file in place makes the bytes cut off inaccessible (SIGBUS).
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace palate
