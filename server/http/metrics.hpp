// How many requests, how long they took.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/json.hpp"

namespace palate::server {

/// Counts of durations, eight classes per doubling from a microsecond on: quantiles are known to
/// about 9 %.
class Durations {
 public:
  static constexpr std::size_t per_doubling = 8;
  static constexpr std::size_t classes = 27 * per_doubling;

  void add(double seconds) noexcept;
  void add(const Durations& other) noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Seconds; 0 if there are none.
  [[nodiscard]] double quantile(double share) const noexcept;
  [[nodiscard]] double largest() const noexcept { return largest_; }

 private:
  std::array<std::uint32_t, classes> counts_ = {};
  std::uint64_t count_ = 0;
  double largest_ = 0;
};

class Metrics {
 public:
  explicit Metrics(std::vector<std::string> routes);

  struct Took {
    double seconds = 0;
    double processor_seconds = 0;
  };
  void record(std::size_t route, int status, const Took& took);
  /// Members "requests", "latency" and "history" of GET /v1/service.
  [[nodiscard]] Json summary() const;
  /// Counters and histograms in Prometheus' text format.
  [[nodiscard]] std::string prometheus() const;
  [[nodiscard]] double uptime() const;

 private:
  static constexpr std::size_t windows = 12;  ///< of five seconds: the last minute
  static constexpr double window_seconds = 5;
  static constexpr std::array<double, 14> bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                    0.1,    0.25,  0.5,    1,     2.5,  5,     10};
  struct Route {
    std::array<Durations, windows> recent;
    std::array<std::uint64_t, bounds.size() + 1> below = {};
    std::array<std::uint64_t, 6> statuses = {};  ///< by first digit
    std::uint64_t count = 0;
    double seconds = 0;
    double processor_seconds = 0;
  };
  [[nodiscard]] std::uint64_t window_now() const;
  void turn_to(std::uint64_t window) const;

  const std::vector<std::string> names_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  mutable std::vector<Route> routes_;
  mutable std::uint64_t window_ = 0;
};

/// One line of the text format, with its HELP and TYPE.
[[nodiscard]] std::string metric_text(std::string_view name, std::string_view type,
                                      std::string_view help, double value);

/// Bytes of memory that the process holds.
[[nodiscard]] std::size_t resident_bytes();

}  // namespace palate::server
