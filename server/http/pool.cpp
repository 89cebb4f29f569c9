#include "server/http/pool.hpp"

namespace palate::server {

Pool::Pool(unsigned threads, std::size_t most) : most_(most) {
  for (unsigned k = 0; k < threads; ++k) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

bool Pool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= most_) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void Pool::stop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void Pool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !tasks_.empty(); })) {
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace palate::server
