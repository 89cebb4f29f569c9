#include "server/http/pool.hpp"

namespace palate::server {

Pool::Pool(unsigned threads, std::size_t most) : most_(most) {
  for (unsigned k = 0; k < threads; ++k) threads_.emplace_back([this] { work(); });
}

Pool::~Pool() { stop(); }

bool Pool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || tasks_.size() >= most_) return false;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void Pool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Pool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace palate::server
