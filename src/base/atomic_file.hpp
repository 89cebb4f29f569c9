// Whole files or nothing: what is written appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace palate {

/// Writes to a temporary name in the same folder; commit() flushes it to disk and renames it.
/// Without commit() the temporary file is removed. Throws Error{io} with the system's reason (a
/// full disk, no permission).
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace palate
