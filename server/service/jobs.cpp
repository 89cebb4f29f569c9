#include "server/service/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "palate/error.hpp"
#include "server/http/problem.hpp"
#include "server/service/engine.hpp"

namespace palate::server {
namespace {

constexpr std::ptrdiff_t most_waiting = 4;
constexpr std::ptrdiff_t most_remembered = 20;

Error stopped() { return {ErrorCode::cancelled, "stopped on request"}; }

}  // namespace

RunOptions JobControl::run(std::size_t memory) {
  return {.threads = 1,
          .progress = [this](std::string_view stage, std::uint64_t done,
                             std::uint64_t total) { return report(stage, done, total); },
          .memory = memory};
}

void JobControl::part(double from, double to) {
  const std::lock_guard lock(mutex_);
  from_ = from;
  to_ = to;
  share_ = std::max(share_, from);
}

void JobControl::stage(std::string_view text) {
  if (!report(text, 0, 0)) throw stopped();
}

// What follows another stage of the same part does not go back.
bool JobControl::report(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    share_ = std::max(share_, from_ + (to_ - from_) * share);
  }
  return !cancelled_;
}

Json JobControl::progress() const {
  const std::lock_guard lock(mutex_);
  // Known once a twentieth is done and it took more than a moment.
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  const bool known = share_ >= 0.05 && spent >= 1;
  return {{"stage", stage_},
          {"share", share_},
          {"seconds_left", known ? Json(spent * (1 - share_) / share_) : Json(nullptr)}};
}

Jobs::Jobs(Log& log, Ended ended)
    : log_(log),
      ended_(std::move(ended)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

Json Jobs::submit(Order order) {
  const std::lock_guard lock(mutex_);
  const auto waits = [](const Shared& job) { return job->state == State::waiting; };
  if (std::count_if(jobs_.begin(), jobs_.end(), waits) >= most_waiting) {
    throw Problem{.code = "overloaded",
                  .detail = fmt::format("{} jobs wait already", most_waiting),
                  .hint = "wait for one to end, or cancel one",
                  .headers = {{"Retry-After", "10"}}};
  }
  auto job = std::make_shared<Job>();
  job->id = ++last_;
  job->order = std::move(order);
  job->created = std::time(nullptr);
  jobs_.push_back(job);
  forget_old();
  wake_.notify_one();
  return json_of(*job);
}

// The last that ended, and the last of each kind that has a result.
void Jobs::forget_old() {
  for (auto job = jobs_.begin();
       std::ssize(jobs_) > most_remembered + most_waiting && job != jobs_.end();) {
    const bool open = (*job)->state == State::waiting || (*job)->state == State::running;
    job = open || !(*job)->result.is_null() ? job + 1 : jobs_.erase(job);
  }
}

Json Jobs::json_of(const Job& job) {
  constexpr std::array<std::string_view, 5> names = {"waiting", "running", "done", "failed",
                                                     "cancelled"};
  const auto time = [](std::int64_t seconds) {
    return seconds == 0 ? Json(nullptr) : Json(seconds);
  };
  Json out = {{"id", job.id},
              {"kind", job.order.kind},
              {"asked", job.order.asked},
              {"by", job.order.by ? Json(*job.order.by) : Json(nullptr)},
              {"state", names.at(static_cast<std::size_t>(job.state))},
              {"created", job.created},
              {"started", time(job.started)},
              {"ended", time(job.ended)},
              {"has_result", !job.result.is_null()},
              {"error", job.error}};
  out["progress"] = job.state == State::running ? job.control.progress() : Json(nullptr);
  return out;
}

Json Jobs::list() const {
  const std::lock_guard lock(mutex_);
  Json out = Json::array();
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) out.push_back(json_of(**job));
  return out;
}

Jobs::Shared Jobs::at(std::uint64_t id) const {
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [id](const Shared& job) { return job->id == id; });
  if (found != jobs_.end()) return *found;
  throw Problem::not_found(fmt::format("there is no job {}", id),
                           "GET /v1/jobs lists the last ones");
}

Json Jobs::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const Shared job = at(id);
  Json out = json_of(*job);
  out["result"] = job->result;
  return out;
}

Json Jobs::cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const Shared job = at(id);
  if (job->state == State::waiting) {
    job->state = State::cancelled;
    job->ended = std::time(nullptr);
  } else if (job->state == State::running) {
    const std::lock_guard control(job->control.mutex_);
    job->control.cancelled_ = true;
  } else {
    throw Problem{.code = "conflict", .detail = fmt::format("job {} has ended already", id)};
  }
  return json_of(*job);
}

void Jobs::stop() {
  {
    const std::lock_guard lock(mutex_);
    for (const Shared& job : jobs_) {
      if (job->state == State::waiting) job->state = State::cancelled;
      const std::lock_guard control(job->control.mutex_);
      job->control.cancelled_ = true;
    }
  }
  thread_ = {};
}

void Jobs::work(const std::stop_token& stop) {
  Engine::be_nice();
  const auto next = [this] {
    return std::find_if(jobs_.begin(), jobs_.end(),
                        [](const Shared& job) { return job->state == State::waiting; });
  };
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [&] { return next() != jobs_.end(); })) {
    const Shared job = *next();
    job->state = State::running;
    job->started = std::time(nullptr);
    job->control.begun_ = std::chrono::steady_clock::now();
    lock.unlock();
    run(job);
    lock.lock();
  }
}

void Jobs::run(const Shared& job) {
  Json result;
  Json error;
  State state = State::done;
  std::string cause;
  try {
    result = job->order.work(job->control, job->id);
  } catch (...) {
    const Problem problem = current_problem(&cause);
    state = problem.code == "cancelled" ? State::cancelled : State::failed;
    if (state == State::failed) {
      error = {{"code", problem.code}, {"detail", problem.detail}, {"hint", problem.hint}};
    }
  }
  Json told;
  {
    const std::lock_guard lock(mutex_);
    if (state == State::done) {
      for (const Shared& other : jobs_) {
        if (other->order.kind == job->order.kind) other->result = nullptr;
      }
    }
    job->state = state;
    job->ended = std::time(nullptr);
    job->result = std::move(result);
    job->error = std::move(error);
    job->order.work = {};
    told = json_of(*job);
  }
  if (!cause.empty()) {
    log_.write(LogLevel::error, "a job failed", {{"kind", told["kind"]}, {"error", cause}});
  }
  log_.write(LogLevel::info, "a job ended",
             {{"job", job->id}, {"kind", told["kind"]}, {"state", told["state"]}});
  if (ended_) ended_(told);
}

}  // namespace palate::server
