#include "server/http/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace palate::server {
namespace {

constexpr std::size_t most_lines = 10'000;

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

Log::Log(LogLevel level) : level_(level), thread_([this] { work(); }) {}

Log::~Log() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Log::write(LogLevel level, std::string_view event, const Json& fields) {
  static constexpr std::array<std::string_view, 5> names = {"debug", "info", "warn", "error", ""};
  if (!wants(level) || level == LogLevel::off) return;
  Json line = {
      {"time", now_text()}, {"level", names.at(static_cast<std::size_t>(level))}, {"event", event}};
  line.update(fields);
  std::string text = dump(line) + "\n";
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= most_lines) {
      ++dropped_;
      return;
    }
    lines_.push_back(std::move(text));
  }
  wake_.notify_one();
}

void Log::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return done_ || !lines_.empty(); });
    if (lines_.empty()) return;
    std::deque<std::string> lines;
    lines.swap(lines_);
    const std::size_t dropped = std::exchange(dropped_, 0);
    lock.unlock();
    std::string text;
    for (const std::string& line : lines) text += line;
    if (dropped > 0) {
      text += fmt::format("{{\"level\":\"warn\",\"event\":\"log lines dropped\",\"count\":{}}}\n",
                          dropped);
    }
    write_all(text);
    lock.lock();
  }
}

}  // namespace palate::server
