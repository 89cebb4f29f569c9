#include "base/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "palate/error.hpp"

namespace palate {
namespace {

using Body = std::function<void(std::size_t, std::size_t, unsigned)>;

// One parallel loop: workers take the next chunk until none is left or someone failed.
struct Job {
  const Body* body;
  std::size_t count;
  std::size_t grain;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  std::mutex failure_mutex{};
  std::exception_ptr failure{};

  bool run_one(unsigned worker) {
    const std::size_t begin = next.fetch_add(grain);
    if (begin >= count || stop.load()) return false;
    const std::size_t end = std::min(count, begin + grain);
    try {
      (*body)(begin, end, worker);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      stop.store(true);
    }
    done.fetch_add(end - begin);
    return true;
  }
};

}  // namespace

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable idle;
  Job* job = nullptr;
  std::uint64_t round = 0;
  unsigned busy = 0;
  bool quit = false;
  std::mutex caller;  // one loop at a time; a second caller waits
  Progress watch;
  std::string stage;  // what was told last, and when; used by the caller's thread alone
  std::size_t done = 0;
  std::size_t total = 0;
  std::chrono::steady_clock::time_point told = std::chrono::steady_clock::now();
  std::vector<std::jthread> threads;

  void work(unsigned worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return quit || (job != nullptr && round != seen); });
      if (quit) return;
      seen = round;
      Job* mine = job;
      ++busy;
      lock.unlock();
      while (mine->run_one(worker)) {
      }
      lock.lock();
      if (--busy == 0) idle.notify_all();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : impl_(std::make_unique<Impl>()) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = std::min(threads, 256U);
  try {
    for (unsigned worker = 1; worker < threads; ++worker) {
      impl_->threads.emplace_back([this, worker] { impl_->work(worker); });
    }
  } catch (const std::system_error&) {
    // The system allows no more threads: those that started are enough. Results do not depend on
    // it.
  }
}

ThreadPool::ThreadPool(unsigned threads, Progress watch, std::string_view stage)
    : ThreadPool(threads) {
  impl_->watch = std::move(watch);
  impl_->stage = stage;
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->quit = true;
  }
  impl_->wake.notify_all();
}

unsigned ThreadPool::size() const noexcept {
  return static_cast<unsigned>(impl_->threads.size()) + 1;
}

void ThreadPool::for_chunks(std::size_t count, std::size_t grain, const Body& body) {
  for_chunks(count, grain, {}, {}, body);
}

void ThreadPool::for_chunks(std::size_t count, std::size_t grain, std::string_view stage,
                            const Progress& progress, const Body& body) {
  if (count == 0) return;
  const std::lock_guard one_at_a_time(impl_->caller);
  Job job{.body = &body, .count = count, .grain = std::clamp<std::size_t>(grain, 1, count)};
  if (!impl_->threads.empty()) {
    {
      const std::lock_guard lock(impl_->mutex);
      impl_->job = &job;
      ++impl_->round;
    }
    impl_->wake.notify_all();
  }
  bool cancelled = false;
  if (progress) impl_->stage = stage;
  const auto tell = [&](std::size_t done) {
    if (progress) {
      impl_->done = done;
      impl_->total = count;
    }
    const Progress& asked = progress ? progress : impl_->watch;
    if (asked && !asked(impl_->stage, impl_->done, impl_->total)) {
      cancelled = true;
      job.stop.store(true);
    }
  };
  try {
    while (job.run_one(0)) {
      const auto now = std::chrono::steady_clock::now();
      if (now - impl_->told > std::chrono::milliseconds(50)) {
        impl_->told = now;
        tell(job.done.load());
      }
    }
    if (progress) tell(std::min(count, job.done.load()));
  } catch (...) {  // the progress callback threw: stop the others before leaving
    const std::lock_guard lock(job.failure_mutex);
    if (!job.failure) job.failure = std::current_exception();
    job.stop.store(true);
  }
  {
    std::unique_lock lock(impl_->mutex);
    impl_->job = nullptr;
    impl_->idle.wait(lock, [&] { return impl_->busy == 0; });
  }
  if (job.failure) std::rethrow_exception(job.failure);
  if (cancelled) throw Error(ErrorCode::cancelled, "stopped on request");
}

}  // namespace palate
