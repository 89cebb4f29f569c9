// Whether the files of a store are still those that were opened.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

#include "rating_store/sqlite/connection.hpp"

namespace palate::store {

/// Of a database that is open and stays so. Safe to use from many threads.
class FileWatch {
 public:
  explicit FileWatch(const std::string& path);

  /// Throws Error{io} if the file, its log or its index was removed or replaced, or if the file was
  /// cut. Asks a connection of the calling thread: to open and close the file here would give up
  /// all locks that the process has on it.
  void check(const SqliteConnection& connection) const;

 private:
  struct File {
    std::string path;
    std::uint64_t device = 0, number = 0;
  };
  [[nodiscard]] bool cut(const SqliteConnection& connection, std::uint64_t size) const;

  std::array<File, 3> files_;  // the database first
  mutable std::mutex mutex_;
  mutable std::uint64_t largest_ = 0;  // that the database was seen to be, in bytes
};

}  // namespace palate::store
