#include "session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <tuple>

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

void handle(int signal) {
  struct sigaction action {};
  action.sa_handler = on_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers() {
  handle(SIGINT);
  handle(SIGTERM);
  std::signal(SIGPIPE, SIG_IGN);
}

int stop_signal() noexcept { return stop_requested; }

namespace {

// "12 s", "3 min"
std::string rough(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::ceil(seconds))
                      : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

}  // namespace

// On a terminal a line that appears only when the work takes longer than a moment, and leaves no
// trace; elsewhere a line every few seconds.
class Session::ProgressBar {
 public:
  explicit ProgressBar(const Screen& screen, bool lines) : screen_(screen), lines_(lines) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::string_view stage, std::uint64_t done, std::uint64_t total) {
    const double now = clock_.seconds();
    // What comes after a colon changes as the same work goes on.
    const std::string_view work = stage.substr(0, stage.find(':'));
    double share =
        total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0;
    if (in_parts_) {
      share = std::max(share_, from_ + (to_ - from_) * share);
    } else if (work != work_ || share < share_) {
      begun_ = now;
    }
    const bool changed = !lines_ && stage != stage_;
    work_ = work;
    share_ = share;
    if (now < (lines_ ? line_interval : delay)) return;
    if (!changed && now - drawn_ < (lines_ ? line_interval : interval)) return;
    stage_ = stage;
    drawn_ = now;
    draw(stage, in_parts_ || total > 0, left(now));
  }

  /// What is shown from now on lies between these; never goes back.
  void fill(double from, double to) {
    in_parts_ = true;
    share_ = std::max(share_, from);
    from_ = from;
    to_ = to;
  }
  [[nodiscard]] std::pair<double, double> filling() const { return {from_, to_}; }

  void clear() {
    if (!visible_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    visible_ = false;
  }

 private:
  // Known once a twentieth is done and it took more than a moment.
  [[nodiscard]] std::string left(double now) const {
    const double spent = now - begun_;
    if (share_ < 0.05 || spent < 2) return {};
    return fmt::format(", about {} left", rough(spent * (1 - share_) / share_));
  }

  void draw(std::string_view stage, bool known, const std::string& left) {
    const std::string percent = known ? fmt::format(" {:.0f} %", 100 * share_) : "";
    if (lines_) {
      std::fputs(fmt::format("palate: {}{}{}\n", stage, known ? "," + percent : "", left).c_str(),
                 stderr);
      return;
    }
    constexpr std::size_t longest_bar = 30;
    const std::size_t rest = columns_of(percent) + columns_of(left) + 2;
    std::string line = cut(
        stage, std::max<std::size_t>(8, screen_.width > rest + 10 ? screen_.width - rest - 10 : 0),
        screen_.utf8);
    const std::size_t used = columns_of(line) + rest;
    const std::size_t columns =
        std::min(longest_bar, screen_.width > used ? screen_.width - used : 0);
    if (known) line += " " + pad_right(bar(screen_, share_, columns, 0), columns) + percent + left;
    std::fputs(("\r\033[K" + line).c_str(), stderr);
    std::fflush(stderr);
    visible_ = true;
  }

  static constexpr double delay = 0.3;
  static constexpr double interval = 0.1;
  static constexpr double line_interval = 10;
  const Screen screen_;
  const bool lines_;
  const Clock clock_;
  double drawn_ = 0, begun_ = 0, share_ = 0;
  double from_ = 0, to_ = 1;
  bool in_parts_ = false;
  std::string stage_, work_;
  bool visible_ = false;
};

Session::Part::Part(ProgressBar* bar, double from, double to) : bar_(bar) {
  if (bar_ == nullptr) return;
  std::tie(from_, to_) = bar_->filling();
  bar_->fill(from_ + from * (to_ - from_), from_ + to * (to_ - from_));
}

Session::Part::~Part() {
  if (bar_ == nullptr) return;
  bar_->fill(bar_->filling().second, to_);
  bar_->fill(from_, to_);
}

Session::Session(const CommonOptions& common_options)
    : common(common_options), out(screen_of(STDOUT_FILENO)), err(screen_of(STDERR_FILENO)) {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const bool lines = !err.terminal || dumb;
  // For a program stderr has nothing but the error, if there is one.
  if (!common.quiet && !(common.json && lines)) {
    progress_ = std::make_unique<ProgressBar>(err, lines);
  }
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

bool Session::enough() {
  int interrupted = SIGINT;
  if (!stop_requested.compare_exchange_strong(interrupted, 0)) return false;
  handle(SIGINT);
  note("taking the best settings so far; Ctrl-C again stops\n");
  return true;
}

void Session::finish() {
  if (progress_) progress_->clear();
  if (std::fflush(stdout) != 0) fail_to_write();
}

void Session::check_stopped() const {
  if (stop_signal() != 0) throw Error(ErrorCode::cancelled, "stopped");
}

}  // namespace palate::cli
