// One run of the tool: where output goes, progress, interruption.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "palate/run.hpp"
#include "screen.hpp"

namespace palate::cli {

/// Options that every command has.
struct CommonOptions {
  bool json = false;
  bool quiet = false;
  unsigned threads = 0;
  std::size_t memory = 0;  ///< bytes that a fit may take; 0: what the machine has to spare
};

/// The reader of our output went away: not worth a message.
struct BrokenPipe {};

/// Ctrl-C and SIGTERM ask the work to stop at the next report of progress; a second one ends the
/// process at once. A closed pipe is noticed on writing. Call once, first.
void install_signal_handlers();
/// The signal that asked to stop, or 0.
[[nodiscard]] int stop_signal() noexcept;

class Session {
 public:
  explicit Session(const CommonOptions& common);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const CommonOptions common;
  const Screen out;  ///< stdout
  const Screen err;  ///< stderr

  [[nodiscard]] bool json() const noexcept { return common.json; }

  /// For long calls: threads, memory, and a progress bar if stderr is a terminal.
  [[nodiscard]] RunOptions run();
  /// Shows that a stage without progress of its own has begun.
  void stage(std::string_view name);

  /// To stdout. Throws BrokenPipe or Error{io}.
  void print(std::string_view text);
  /// A remark to the person on stderr; nothing with --quiet or --json.
  void note(std::string_view text);
  /// Flushes stdout and clears the progress bar.
  void finish();
  /// Throws Error{cancelled} if a signal asked to stop.
  void check_stopped() const;

 private:
  class ProgressBar;
  std::unique_ptr<ProgressBar> progress_;
};

/// Seconds since it was made.
class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace palate::cli
