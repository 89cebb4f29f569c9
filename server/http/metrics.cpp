#include "server/http/metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace palate::server {

void Durations::add(double seconds) noexcept {
  const double micros = std::max(1.0, seconds * 1e6);
  const auto place = static_cast<std::size_t>(std::log2(micros) * per_doubling);
  ++counts_[std::min(place, classes - 1)];
  ++count_;
  largest_ = std::max(largest_, seconds);
}

void Durations::add(const Durations& other) noexcept {
  for (std::size_t k = 0; k < classes; ++k) counts_[k] += other.counts_[k];
  count_ += other.count_;
  largest_ = std::max(largest_, other.largest_);
}

double Durations::quantile(double share) const noexcept {
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    sum += counts_[k];
    if (sum >= wanted && sum > 0) {
      // The middle of the class, on the scale of its logarithm.
      const double micros = std::exp2((static_cast<double>(k) + 0.5) / per_doubling);
      return std::min(micros * 1e-6, largest_);
    }
  }
  return largest_;
}

Metrics::Metrics(std::vector<std::string> routes)
    : names_(std::move(routes)), routes_(names_.size()) {}

double Metrics::uptime() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::uint64_t Metrics::window_now() const {
  return static_cast<std::uint64_t>(uptime() / window_seconds);
}

// Called with the lock held: windows that have become old are emptied for their next use.
void Metrics::turn_to(std::uint64_t window) const {
  const std::uint64_t steps = std::min<std::uint64_t>(window - window_, windows);
  for (std::uint64_t k = 0; k < steps; ++k) {
    for (Route& route : routes_) route.recent[(window - k) % windows] = {};
  }
  window_ = window;
}

void Metrics::record(std::size_t route, int status, const Took& took) {
  const double seconds = took.seconds;
  const std::lock_guard lock(mutex_);
  turn_to(window_now());
  Route& mine = routes_.at(route);
  mine.recent[window_ % windows].add(seconds);
  const auto* bound = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++mine.below[static_cast<std::size_t>(bound - bounds.begin())];
  ++mine.statuses.at(static_cast<std::size_t>(std::clamp(status / 100, 0, 5)));
  ++mine.count;
  mine.seconds += seconds;
  mine.processor_seconds += took.processor_seconds;
}

Json Metrics::summary() const {
  const std::lock_guard lock(mutex_);
  turn_to(window_now());
  const auto ms = [](double seconds) { return std::round(seconds * 1e6) / 1e3; };
  std::uint64_t total = 0;
  std::uint64_t errors = 0;
  std::uint64_t lately = 0;
  Json latency = Json::array();
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    total += routes_[r].count;
    errors += routes_[r].statuses[5];
    Durations minute;
    for (const Durations& window : routes_[r].recent) minute.add(window);
    lately += minute.count();
    if (minute.count() == 0) continue;
    latency.push_back({{"route", names_[r]},
                       {"count", minute.count()},
                       {"p50_ms", ms(minute.quantile(0.5))},
                       {"p90_ms", ms(minute.quantile(0.9))},
                       {"p99_ms", ms(minute.quantile(0.99))},
                       {"max_ms", ms(minute.largest())}});
  }
  Json history = Json::array();
  const std::uint64_t oldest = window_ + 1 >= windows ? window_ + 1 - windows : 0;
  for (std::uint64_t w = oldest; w <= window_; ++w) {
    Durations all;
    for (const Route& route : routes_) all.add(route.recent[w % windows]);
    history.push_back({{"seconds_ago", static_cast<double>(window_ - w) * window_seconds},
                       {"requests", all.count()},
                       {"p50_ms", ms(all.quantile(0.5))},
                       {"p99_ms", ms(all.quantile(0.99))}});
  }
  const double span = std::clamp(uptime(), 1.0, windows * window_seconds);
  return {{"requests",
           {{"total", total},
            {"errors", errors},
            {"per_second", std::round(static_cast<double>(lately) / span * 100) / 100}}},
          {"latency", std::move(latency)},
          {"history", std::move(history)}};
}

std::string Metrics::prometheus() const {
  const std::lock_guard lock(mutex_);
  std::string out =
      "# HELP palate_requests_total Requests answered, by route and class of status.\n"
      "# TYPE palate_requests_total counter\n";
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    for (std::size_t s = 1; s < routes_[r].statuses.size(); ++s) {
      if (routes_[r].statuses[s] == 0) continue;
      out += fmt::format("palate_requests_total{{route=\"{}\",status=\"{}xx\"}} {}\n", names_[r], s,
                         routes_[r].statuses[s]);
    }
  }
  out +=
      "# HELP palate_request_seconds Time from the whole request to its answer, by route.\n"
      "# TYPE palate_request_seconds histogram\n";
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    const Route& route = routes_[r];
    if (route.count == 0) continue;
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      sum += route.below[b];
      out += fmt::format("palate_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", names_[r],
                         bounds[b], sum);
    }
    out += fmt::format(
        "palate_request_seconds_bucket{{route=\"{0}\",le=\"+Inf\"}} {1}\n"
        "palate_request_seconds_sum{{route=\"{0}\"}} {2}\n"
        "palate_request_seconds_count{{route=\"{0}\"}} {1}\n",
        names_[r], route.count, route.seconds);
  }
  out +=
      "# HELP palate_request_cpu_seconds_total Processor time of the threads that answer, by "
      "route.\n"
      "# TYPE palate_request_cpu_seconds_total counter\n";
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    if (routes_[r].count == 0) continue;
    out += fmt::format("palate_request_cpu_seconds_total{{route=\"{}\"}} {}\n", names_[r],
                       routes_[r].processor_seconds);
  }
  return out;
}

std::string metric_text(std::string_view name, std::string_view type, std::string_view help,
                        double value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace palate::server
