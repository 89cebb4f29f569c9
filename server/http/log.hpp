// One JSON line per event on stderr, written by a thread of its own so that nobody waits for a slow
// terminal or pipe.
#pragma once

#include <condition_variable>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "server/http/json.hpp"

namespace palate::server {

enum class LogLevel { debug, info, warn, error, off };

class Log {
 public:
  explicit Log(LogLevel level);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] bool wants(LogLevel level) const noexcept { return level >= level_; }
  /// {"time": ..., "level": ..., "event": ..., fields}. Lines that find the queue full are dropped
  /// and counted.
  void write(LogLevel level, std::string_view event, const Json& fields = Json::object());

 private:
  void work();

  const LogLevel level_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::string> lines_;
  std::size_t dropped_ = 0;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace palate::server
