// Writes of many threads share one transaction, and so one flush to disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "palate/rating_store.hpp"

namespace palate::store {

class GroupCommit {
 public:
  /// Writes all or nothing, durably.
  using Commit = std::function<WriteResult(std::span<const StoreWrite* const>)>;

  explicit GroupCommit(Commit commit) : commit_(std::move(commit)) {}

  /// Returns or throws when these writes are durable or refused. While one thread commits, those
  /// that come queue up; one of them then commits for all. If a group fails, each of its requests
  /// is tried alone, so that nobody fails for somebody else's sake.
  WriteResult submit(std::span<const StoreWrite> writes);

 private:
  struct Request {
    std::span<const StoreWrite> writes;
    WriteResult result = {};
    std::exception_ptr error = nullptr;
    bool done = false;
  };

  [[nodiscard]] std::vector<Request*> take_group();
  void run(std::span<Request* const> group);
  void run_together(std::span<Request* const> group);

  Commit commit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request*> waiting_;
  bool busy_ = false;
};

}  // namespace palate::store
