// Writes of many clients, made durable together.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/service/engine.hpp"

namespace palate::server {

/// One thread takes all that waits, writes it as one, and lets the model take it in. What comes
/// meanwhile goes into the next round, so that the cost of making things durable is shared by
/// whoever waits for it.
class WriteQueue {
 public:
  /// What it did, once it is durable and counted by the model; or why nothing of it was written.
  using Done = std::function<void(WriteEffect effect, std::exception_ptr wrong)>;

  explicit WriteQueue(Engine& engine);

  void submit(StoreWrite write, Done done);
  /// Finishes what waits, as the destructor does.
  void stop() { thread_ = {}; }

 private:
  struct Job {
    StoreWrite write;
    Done done;
  };
  void work(const std::stop_token& stop);
  void commit(std::vector<Job> jobs);
  /// For the exception that is being handled.
  static void refuse(std::vector<Job>& jobs);

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<Job> waiting_;
  std::jthread thread_;
};

}  // namespace palate::server
