// How much memory a fit may take, and the error where that is not enough.
#pragma once

#include <cstddef>
#include <string>

namespace palate {

/// "470 MB", "1.4 GB"
[[nodiscard]] std::string amount_of_memory(double bytes);

class MemoryBudget {
 public:
  /// `limit`: bytes; 0: nine tenths of what the machine has to spare now.
  explicit MemoryBudget(std::size_t limit);

  [[nodiscard]] double bytes() const noexcept { return bytes_; }
  /// "the limit is 2.0 GB", "this machine has 5.1 GB to spare"
  [[nodiscard]] std::string text() const;
  /// Throws Error{too_large} if `needed` is more.
  void check(double needed, const std::string& hint) const;

 private:
  bool given_;
  double bytes_;
};

}  // namespace palate
