#include "rating_store/group_commit.hpp"

namespace palate::store {

WriteResult GroupCommit::submit(std::span<const StoreWrite> writes) {
  Request mine{.writes = writes};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&mine);
  while (!mine.done) {
    if (busy_) {
      changed_.wait(lock);
      continue;
    }
    busy_ = true;
    const std::vector<Request*> group = take_group();
    lock.unlock();
    run(group);
    lock.lock();
    for (Request* request : group) request->done = true;
    busy_ = false;
    changed_.notify_all();
  }
  if (mine.error) std::rethrow_exception(mine.error);
  return std::move(mine.result);
}

// Bounded, so that one transaction does not hold up readers of its result for long.
std::vector<GroupCommit::Request*> GroupCommit::take_group() {
  constexpr std::size_t most = 10'000;
  std::vector<Request*> group;
  std::size_t writes = 0;
  while (!waiting_.empty() && (group.empty() || writes + waiting_.front()->writes.size() <= most)) {
    writes += waiting_.front()->writes.size();
    group.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return group;
}

void GroupCommit::run(std::span<Request* const> group) {
  run_together(group);
  if (group.size() == 1 || !group.front()->error) return;
  for (Request* const& request : group) run_together(std::span(&request, 1));
}

void GroupCommit::run_together(std::span<Request* const> group) {
  WriteResult all;
  std::exception_ptr error = nullptr;
  try {
    std::vector<const StoreWrite*> writes;
    for (const Request* request : group) {
      for (const StoreWrite& write : request->writes) writes.push_back(&write);
    }
    all = commit_(writes);
  } catch (...) {
    error = std::current_exception();
  }
  auto effect = all.effects.begin();
  for (Request* request : group) {
    request->error = error;
    if (error) continue;
    const auto end = effect + static_cast<std::ptrdiff_t>(request->writes.size());
    request->result = {all.sequence, {effect, end}};
    effect = end;
  }
}

}  // namespace palate::store
