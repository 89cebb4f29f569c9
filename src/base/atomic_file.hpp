// Whole files or nothing: what is written appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace palate {

/// Writes to a temporary name in the same folder; commit() flushes it to disk, renames it and
/// flushes the folder, so that the new file is there after a loss of power too. Without commit()
/// the temporary file is removed. Throws Error{io} with the system's reason (a full disk, no
/// permission).
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

  /// Where it lies until then, for a library that writes to a file by its name.
  [[nodiscard]] const std::filesystem::path& temporary() const noexcept { return temporary_; }

  /// Removes what programs that were killed left of this file. Writers lock what they write, so
  /// theirs stays. Every new AtomicFile does this for its own path.
  static void remove_leftovers(const std::filesystem::path& path) noexcept;

 private:
  [[nodiscard]] bool make_temporary();
  void flush_folder() const;
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace palate
