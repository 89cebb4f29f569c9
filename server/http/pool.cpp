#include "server/http/pool.hpp"

#include <algorithm>
#include <ctime>

namespace palate::server {

double processor_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Pool::Pool(unsigned threads, std::size_t most)
    : most_(most), most_at_once_(std::max(1U, threads - 1)) {
  for (unsigned k = 0; k < threads; ++k) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

bool Pool::submit(std::function<void()> task, const std::string& share) {
  {
    const std::lock_guard lock(mutex_);
    const auto [place, fresh] = shares_.try_emplace(share);
    Share& mine = place->second;
    if (mine.tasks.size() >= most_) return false;
    if (fresh) mine.used = level_;
    mine.tasks.push_back(std::move(task));
    if (mine.tasks.size() > 1 || mine.running >= most_at_once_) return true;
    ready_.emplace(mine.used, &place->first);
  }
  wake_.notify_one();
  return true;
}

void Pool::stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

// After a change of `place`, which is not in ready_: it goes there, or leaves if it has nothing.
void Pool::settle(Shares::iterator place) {
  const Share& mine = place->second;
  if (!mine.tasks.empty()) {
    if (mine.running < most_at_once_) ready_.emplace(mine.used, &place->first);
  } else if (mine.running == 0) {
    shares_.erase(place);
  }
}

void Pool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // Stopping, a share that has all its threads may still have tasks; those threads do them.
  while (wake_.wait(lock, stop, [this] { return !ready_.empty(); })) {
    const auto place = shares_.find(*ready_.begin()->second);
    ready_.erase(ready_.begin());
    Share& mine = place->second;
    level_ = std::max(level_, mine.used);
    std::function<void()> task = std::move(mine.tasks.front());
    mine.tasks.pop_front();
    ++mine.running;
    settle(place);
    if (!ready_.empty()) wake_.notify_one();
    lock.unlock();
    const double before = processor_seconds();
    task();
    task = nullptr;
    const double took = processor_seconds() - before;
    lock.lock();
    ready_.erase({mine.used, &place->first});
    --mine.running;
    mine.used += took;
    settle(place);
  }
}

}  // namespace palate::server
