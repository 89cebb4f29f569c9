#include "server/http/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace palate::server {
namespace {

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), millis.count());
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

Json request_fields(const Request& request) {
  Json out = {
      {"request_id", request.id}, {"trace_id", request.trace.id}, {"span_id", request.trace.span}};
  if (!request.trace.parent.empty()) out["parent_span_id"] = request.trace.parent;
  return out;
}

void Log::write(LogLevel level, std::string_view event, const Json& fields) {
  static constexpr std::array<std::string_view, 5> names = {"debug", "info", "warn", "error", ""};
  if (!wants(level) || level == LogLevel::off) return;
  Json line = {
      {"time", now_text()}, {"level", names.at(static_cast<std::size_t>(level))}, {"event", event}};
  line.update(fields);
  const bool taken = writer_.submit([this, text = dump(line) + "\n"] {
    write_all(text);
    if (const std::size_t dropped = dropped_.exchange(0); dropped > 0) {
      write_all(fmt::format("{{\"level\":\"warn\",\"event\":\"log lines dropped\",\"count\":{}}}\n",
                            dropped));
    }
  });
  if (!taken) ++dropped_;
}

}  // namespace palate::server
