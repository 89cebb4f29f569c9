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

  /// For long calls: threads, memory, and a progress bar on a terminal, or lines now and then.
  [[nodiscard]] RunOptions run();
  /// Shows that a stage without progress of its own has begun.
  void stage(std::string_view name);

  class ProgressBar;
  /// While it lives, what is reported fills a part of the bar: one bar for work of several stages.
  class Part {
   public:
    Part(ProgressBar* bar, double from, double to);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    ProgressBar* bar_;
    double from_ = 0, to_ = 1;  // as it was before
  };
  /// From one share of the bar to another, of the part that is under way.
  [[nodiscard]] Part part(double from, double to) { return {progress_.get(), from, to}; }

  /// To stdout. Throws BrokenPipe or Error{io}.
  void print(std::string_view text);
  /// A remark to the person on stderr; nothing with --quiet or --json.
  void note(std::string_view text);
  /// Whether Ctrl-C asked to make do with what there is; it then no longer asks to stop.
  [[nodiscard]] bool enough();
  /// Flushes stdout and clears the progress bar.
  void finish();
  /// Throws Error{cancelled} if a signal asked to stop.
  void check_stopped() const;

 private:
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
