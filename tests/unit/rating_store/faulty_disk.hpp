// A disk for SQLite that fails on request and, when the power goes, forgets what was not flushed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace palate::testing {

/// Stands between SQLite and the files from its making on, for all connections that are opened
/// while it lives. One at a time.
class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  enum class Fault {
    error,  ///< nothing is done
    full,   ///< likewise, as there is no more room
    torn,   ///< of what is written, half is; a flush that fails drops what it should have flushed
  };
  enum class Lasts { once, for_ever };
  /// The call of this number, from 1 on, fails: calls that write, flush, cut, make or remove files.
  void fail_at(std::uint64_t call, Fault fault, Lasts lasts);
  void heal();
  [[nodiscard]] bool has_failed() const;
  /// Which call failed first, and of which file.
  [[nodiscard]] std::string failed() const;
  [[nodiscard]] std::uint64_t calls() const;

  /// What is found after a loss of power now: all that was flushed, and of the rest any part, by
  /// `seed` (0: nothing of it, 1: all). Files of `folder` are written to `out`.
  void lose_power(const std::filesystem::path& folder, const std::filesystem::path& out,
                  std::uint64_t seed) const;

  // For SQLite's calls.
  struct Change {
    std::uint64_t at = 0;
    std::string bytes;
    bool cut = false;  ///< to `at` bytes
  };
  struct File {
    std::string flushed;
    std::vector<Change> pending;
  };
  /// What happens to this call; nothing if it does not fail.
  enum class Verdict { well, error, full, torn };
  [[nodiscard]] Verdict judge(const char* what, const std::string& path);
  void note(const std::string& path, Change change);
  void flush(const std::string& path, bool fails);
  void open(const std::string& path);
  void remove(const std::string& path);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, File> files_;
  std::uint64_t calls_ = 0, fail_at_ = 0;
  Fault fault_ = Fault::error;
  Lasts lasts_ = Lasts::once;
  std::string failed_;
};

}  // namespace palate::testing
