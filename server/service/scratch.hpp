// Where uploads lie while they are read.
#pragma once

#include <filesystem>

namespace palate::server {

/// A folder of its own among the temporary files, gone with it. Throws Error{io}.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Removes those that servers left which were killed; not those that are in use.
  static void remove_leftovers() noexcept;

 private:
  bool make();

  std::filesystem::path path_;
  int descriptor_ = -1;  ///< locked, by which others see that it is in use
};

}  // namespace palate::server
