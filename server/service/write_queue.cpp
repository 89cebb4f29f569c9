#include "server/service/write_queue.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "palate/error.hpp"

namespace palate::server {

WriteQueue::WriteQueue(Engine& engine)
    : engine_(engine), thread_([this](const std::stop_token& stop) { work(stop); }) {}

void WriteQueue::submit(StoreWrite write, Done done) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(write), std::move(done)});
  }
  wake_.notify_one();
}

void WriteQueue::work(const std::stop_token& stop) {
  constexpr std::ptrdiff_t most = 512;
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    const auto end = waiting_.begin() + std::min(most, std::ssize(waiting_));
    std::vector<Job> jobs(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    lock.unlock();
    commit(std::move(jobs));
    lock.lock();
  }
}

void WriteQueue::commit(std::vector<Job> jobs) {
  std::vector<StoreWrite> writes;
  writes.reserve(jobs.size());
  for (const Job& job : jobs) writes.push_back(job.write);
  try {
    WriteResult result = engine_.store().write(writes);
    try {
      engine_.catch_up();
    } catch (const std::exception&) {
      // It is durable all the same; the engine's own thread tries again and says what is wrong.
    }
    auto all = std::make_shared<std::vector<Job>>(std::move(jobs));
    const std::uint64_t sequence = result.sequence;
    engine_.when_counted(sequence, [all, effects = std::move(result.effects)] {
      for (std::size_t k = 0; k < all->size(); ++k) (*all)[k].done(effects[k], nullptr);
    });
  } catch (const Error& error) {
    if (jobs.size() == 1 || error.code() != ErrorCode::bad_input) {
      refuse(jobs);
      return;
    }
    // One of them is to blame; the others shall not suffer for it.
    for (Job& job : jobs) {
      std::vector<Job> alone;
      alone.push_back(std::move(job));
      commit(std::move(alone));
    }
  } catch (...) {
    refuse(jobs);
  }
}

void WriteQueue::refuse(std::vector<Job>& jobs) {
  for (Job& job : jobs) job.done(WriteEffect::none, std::current_exception());
}

}  // namespace palate::server
