// A fixed set of worker threads. The pool is a parameter of whatever runs in parallel, never
// global.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "palate/run.hpp"

namespace palate {

class ThreadPool {
 public:
  /// 0: as many as the machine has cores. 1: everything runs in the calling thread.
  explicit ThreadPool(unsigned threads = 0);
  /// Loops that report no progress themselves call `watch` a few times a second, repeating what
  /// was reported last (at first `stage`, 0 of 0), so that every loop can be stopped.
  ThreadPool(unsigned threads, Progress watch, std::string_view stage);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] unsigned size() const noexcept;

  /// Calls body(begin, end, worker) for chunks of [0, count) of at most `grain` each; chunk borders
  /// depend on count and grain alone. `worker` is below size() and never runs two chunks at once,
  /// so it may index scratch memory. The calling thread takes part. The first exception of a body
  /// is thrown here after all workers have stopped.
  void for_chunks(
      std::size_t count, std::size_t grain,
      const std::function<void(std::size_t begin, std::size_t end, unsigned worker)>& body);

  /// As above; tells `progress` (from the calling thread only) how many of `count` are done, and
  /// throws Error{cancelled} if it says stop.
  void for_chunks(
      std::size_t count, std::size_t grain, std::string_view stage, const Progress& progress,
      const std::function<void(std::size_t begin, std::size_t end, unsigned worker)>& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace palate
