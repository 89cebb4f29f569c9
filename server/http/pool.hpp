// Threads that answer requests, in fair shares.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace palate::server {

/// Whoever asks has a share (a key's name, or an address). The next task is of the share that took
/// the least processor time while others waited; within a share tasks go in order. If there are
/// several threads, no share has all of them at once, so that one is soon free for the others.
class Pool {
 public:
  /// At most `most` tasks of a share wait; more are refused.
  Pool(unsigned threads, std::size_t most);

  /// False: this share has too much to do already. Tasks do not throw.
  [[nodiscard]] bool submit(std::function<void()> task, const std::string& share = {});
  /// Finishes what waits, as the destructor does; nothing may be submitted any more.
  void stop();

 private:
  struct Share {
    std::deque<std::function<void()>> tasks = {};
    std::size_t running = 0;
    double used = 0;  ///< seconds of processor time, as if it had been there from the beginning
  };
  using Shares = std::map<std::string, Share>;
  /// Shares that may begin a task, the one that used least first.
  using Ready = std::set<std::pair<double, const std::string*>>;

  void work(const std::stop_token& stop);
  void settle(Shares::iterator place);

  const std::size_t most_;
  const std::size_t most_at_once_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  Shares shares_;
  Ready ready_;
  double level_ = 0;  ///< what the share that was served last had used; newcomers begin there
  std::vector<std::jthread> threads_;
};

/// Of the calling thread, so far.
[[nodiscard]] double processor_seconds() noexcept;

}  // namespace palate::server
