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

  /// False: there is too much to do already. Tasks do not throw.
  [[nodiscard]] bool submit(std::function<void()> task);
  /// Finishes what waits, as the destructor does; nothing may be submitted any more.
  void stop();

 private:
  void work(const std::stop_token& stop);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};

}  // namespace palate::server
