#include "session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "palate/error.hpp"
#include "text.hpp"

namespace palate::cli {
namespace {

std::atomic<int> stop_requested = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler writes it");

extern "C" void on_stop(int signal) { stop_requested = signal; }

[[noreturn]] void fail_to_write() {
  if (errno == EPIPE) throw BrokenPipe{};
  throw Error(ErrorCode::io, fmt::format("cannot write the output: {}", std::strerror(errno)));
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int stop_signal() noexcept { return stop_requested; }

// Appears only when the work takes longer than a moment, and leaves no trace.
class Session::ProgressBar {
 public:
  explicit ProgressBar(const Screen& screen) : screen_(screen) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::string_view stage, std::uint64_t done, std::uint64_t total) {
    const double now = clock_.seconds();
    if (now < delay || (stage == stage_ && now - drawn_ < interval)) return;
    stage_ = stage;
    drawn_ = now;
    std::string line = cut(stage, std::max<std::size_t>(8, screen_.width / 3), screen_.utf8);
    if (total > 0) {
      const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
      const std::size_t used = columns_of(line) + 9;
      const std::size_t columns =
          std::min<std::size_t>(30, screen_.width > used ? screen_.width - used : 0);
      line += " " + pad_right(bar(screen_, share, columns, 0), columns);
      line += fmt::format(" {:3.0f} %", 100 * share);
    }
    std::fputs(("\r\033[K" + line).c_str(), stderr);
    std::fflush(stderr);
    visible_ = true;
  }

  void clear() {
    if (!visible_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    visible_ = false;
  }

 private:
  static constexpr double delay = 0.3;
  static constexpr double interval = 0.1;
  const Screen screen_;
  const Clock clock_;
  double drawn_ = 0;
  std::string stage_;
  bool visible_ = false;
};

Session::Session(const CommonOptions& common_options)
    : common(common_options), out(screen_of(STDOUT_FILENO)), err(screen_of(STDERR_FILENO)) {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  if (err.terminal && !dumb && !common.quiet) progress_ = std::make_unique<ProgressBar>(err);
}

Session::~Session() = default;

RunOptions Session::run() {
  check_stopped();
  return {.threads = common.threads,
          .progress =
              [this](std::string_view stage, std::uint64_t done, std::uint64_t total) {
                if (progress_) progress_->show(stage, done, total);
                return stop_signal() == 0;
              },
          .memory = common.memory};
}

void Session::stage(std::string_view name) {
  check_stopped();
  if (progress_) progress_->show(name, 0, 0);
}

void Session::print(std::string_view text) {
  if (progress_) progress_->clear();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_to_write();
}

void Session::note(std::string_view text) {
  if (common.quiet || common.json) return;
  if (progress_) progress_->clear();
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Session::finish() {
  if (progress_) progress_->clear();
  if (std::fflush(stdout) != 0) fail_to_write();
}

void Session::check_stopped() const {
  if (stop_signal() != 0) throw Error(ErrorCode::cancelled, "stopped");
}

}  // namespace palate::cli
