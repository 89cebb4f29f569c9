// Long work that people ask for: one at a time, with progress, and cancelled on request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "palate/run.hpp"
#include "server/http/json.hpp"
#include "server/http/log.hpp"

namespace palate::server {

/// How far a job is, and whether it is to go on. Any thread may call anything.
class JobControl {
 public:
  /// For long calls; they throw Error{cancelled} once the job is cancelled.
  [[nodiscard]] RunOptions run(std::size_t memory);
  /// What is reported from now on lies between these shares of the whole.
  void part(double from, double to);
  /// Shows what is done; throws Error{cancelled} once the job is cancelled.
  void stage(std::string_view text);

 private:
  friend class Jobs;
  using Time = std::chrono::steady_clock::time_point;
  bool report(std::string_view stage, std::uint64_t done, std::uint64_t total);
  [[nodiscard]] Json progress() const;

  mutable std::mutex mutex_;
  bool cancelled_ = false;
  std::string stage_;
  double from_ = 0, to_ = 1, share_ = 0;
  Time begun_ = std::chrono::steady_clock::now();
};

/// A queue with one worker of low priority. It is as long as few people may need, and remembers the
/// last jobs; the result of one is kept until another of its kind is done.
class Jobs {
 public:
  struct Order {
    std::string kind = {};               ///< "fit"
    Json asked = {};                     ///< what was asked for, for people
    std::optional<std::string> by = {};  ///< the name of a key
    std::function<Json(JobControl&, std::uint64_t id)> work = {};
  };
  /// Told of each job when it has ended, with its JSON.
  using Ended = std::function<void(const Json& job)>;

  explicit Jobs(Log& log, Ended ended = {});
  ~Jobs() { stop(); }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// The new job. Problem{overloaded} if too many wait.
  Json submit(Order order);
  /// Newest first, without results.
  [[nodiscard]] Json list() const;
  /// With its result. Problem{not_found}.
  [[nodiscard]] Json find(std::uint64_t id) const;
  /// The job, which ends with the next report of its progress. Problem{not_found}, or
  /// Problem{conflict} if it has ended already.
  Json cancel(std::uint64_t id);
  /// Cancels all.
  void stop();

 private:
  enum class State { waiting, running, done, failed, cancelled };
  struct Job {
    std::uint64_t id = 0;
    Order order = {};
    State state = State::waiting;
    std::int64_t created = 0, started = 0, ended = 0;  ///< Unix seconds
    JobControl control = {};
    Json result = nullptr;
    Json error = nullptr;
  };
  using Shared = std::shared_ptr<Job>;

  void work(const std::stop_token& stop);
  void run(const Shared& job);
  void forget_old();
  [[nodiscard]] static Json json_of(const Job& job);
  [[nodiscard]] Shared at(std::uint64_t id) const;

  Log& log_;
  const Ended ended_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Shared> jobs_;  ///< oldest first
  std::uint64_t last_ = 0;
  std::jthread thread_;
};

}  // namespace palate::server
