// Threads that answer requests.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace palate::server {

class Pool {
 public:
  /// At most `most` tasks wait; more are refused.
  Pool(unsigned threads, std::size_t most);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// False: there is too much to do already. Tasks do not throw.
  [[nodiscard]] bool submit(std::function<void()> task);
  /// Finishes what waits.
  void stop();

 private:
  void work();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace palate::server
