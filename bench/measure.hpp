// Time, memory, percentiles, and the file of results.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using Json = nlohmann::ordered_json;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Seconds since the start or the last lap.
  double lap() {
    const double spent = seconds();
    start_ = std::chrono::steady_clock::now();
    return spent;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The value that a share p of the samples does not exceed.
inline double percentile(std::vector<double> samples, double p) {
  if (samples.empty()) return 0;
  const auto k = static_cast<std::size_t>(p * static_cast<double>(samples.size() - 1) + 0.5);
  const auto place = samples.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(samples.begin(), place, samples.end());
  return *place;
}

/// Most memory in use by this process since its start or the last forget_peak(), in bytes.
inline std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

/// Lets the peak begin anew at what is in use now. Where the kernel refuses, it stays.
inline void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

inline Json as_json(const std::vector<std::pair<std::string, double>>& stages) {
  auto out = Json::object();
  for (const auto& [stage, seconds] : stages) out[stage] = seconds;
  return out;
}

/// Nothing if `file` is empty.
inline void write_json(const std::string& file, const Json& results) {
  if (file.empty()) return;
  std::ofstream out(file);
  out << results.dump(1) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace bench
