// Whether changes are taken in one by one or all at once by a fit, judged by what was seen.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace palate::server {

/// Safe to use from many threads.
class Pace {
 public:
  /// A fit, with reading what it needs, took so long.
  void fitted(double seconds) noexcept {
    fit_seconds_ = seconds;
    // One slow moment must not have everything fitted anew for ever.
    change_seconds_ = a_guess;
  }
  /// So many changes were taken in at once. A few say nothing: what they cost is what every step
  /// costs, and a backlog is taken in by large steps.
  void took(std::size_t changes, double seconds) noexcept {
    if (changes < enough_to_learn) return;
    const double each = seconds / static_cast<double>(changes);
    change_seconds_ = change_seconds_ + 0.2 * (each - change_seconds_);
  }
  [[nodiscard]] bool better_fitted(std::uint64_t changes) const noexcept {
    constexpr double least = 0.5;
    return static_cast<double>(changes) * change_seconds_ > 2 * fit_seconds_ + least;
  }
  [[nodiscard]] double fit_seconds() const noexcept { return fit_seconds_; }

  static constexpr std::size_t enough_to_learn = 100;

 private:
  static constexpr double a_guess = 1e-3;

  std::atomic<double> change_seconds_ = a_guess;
  std::atomic<double> fit_seconds_ = 5;  // of a kept model that does not say
};

}  // namespace palate::server
