// One JSON line per event on stderr, written by a thread of its own so that nobody waits for a slow
// terminal or pipe.
#pragma once

#include <atomic>
#include <string_view>

#include "server/http/json.hpp"
#include "server/http/pool.hpp"

namespace palate::server {

enum class LogLevel { debug, info, warn, error, off };

/// What every line about a request has: its id and its place in a trace.
[[nodiscard]] Json request_fields(const Request& request);

class Log {
 public:
  explicit Log(LogLevel level) : level_(level) {}

  [[nodiscard]] bool wants(LogLevel level) const noexcept { return level >= level_; }
  /// {"time": ..., "level": ..., "event": ..., fields}. Lines that find the queue full are dropped
  /// and counted.
  void write(LogLevel level, std::string_view event, const Json& fields = Json::object());

 private:
  static constexpr std::size_t most_lines = 10'000;

  const LogLevel level_;
  std::atomic<std::size_t> dropped_ = 0;
  Pool writer_{1, most_lines};
};

}  // namespace palate::server
