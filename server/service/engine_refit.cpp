// Fits that a person asks for: another method, or other settings, from now on.

#include <fstream>

#include "palate/error.hpp"
#include "server/service/engine.hpp"
#include "server/service/kept_wish.hpp"

namespace palate::server {

MethodRequest Engine::wish() const {
  const std::lock_guard lock(state_mutex_);
  return wish_;
}

void Engine::refit(const MethodRequest& wish, const RunOptions& run) {
  const auto asked = std::make_shared<AskedFit>();
  asked->wish = wish;
  asked->progress = [&run](std::string_view stage, std::uint64_t done, std::uint64_t total) {
    return !run.progress || run.progress(stage, done, total);
  };
  std::unique_lock lock(asked_mutex_);
  asked_ = asked;
  {
    const std::lock_guard waking(wake_mutex_);
    fit_asked_for_ = true;
  }
  wake_.notify_all();
  constexpr auto now_and_then = std::chrono::milliseconds(100);
  while (!asked_changed_.wait_for(lock, now_and_then, [&] { return asked->done; })) {
    if (asked->taken) continue;
    // The thread that fits is not there yet, or fits something else.
    if (stopping_ || !asked->progress("waiting for another fit", 0, 0)) {
      asked_.reset();
      fit_asked_for_ = false;
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  if (asked->wrong) std::rethrow_exception(asked->wrong);
}

void Engine::refit_if_asked() {
  {
    const std::lock_guard lock(asked_mutex_);
    fit_asked_for_ = false;
    if (!asked_) return;
    under_way_ = std::move(asked_);
    under_way_->taken = true;
  }
  MethodRequest before;
  std::optional<Choice> choice_before;
  std::size_t chosen_before = 0;
  {
    const std::lock_guard lock(state_mutex_);
    before = std::exchange(wish_, under_way_->wish);
    choice_before = std::exchange(choice_, std::nullopt);
    chosen_before = std::exchange(chosen_at_, 0);
  }
  const std::uint64_t generation = generation_;
  const bool rebuild_wanted = rebuild_wanted_;
  try {
    rebuild(Chosen::anew, 1);
    if (generation_ == generation) {
      throw Error(ErrorCode::bad_input, "there are no ratings to fit on", {}, "import some first");
    }
  } catch (...) {
    under_way_->wrong = std::current_exception();
    if (generation_ == generation) {
      rebuild_wanted_ = rebuild_wanted_ || rebuild_wanted;
      const std::lock_guard lock(state_mutex_);
      wish_ = before;
      choice_ = choice_before;
      chosen_at_ = chosen_before;
    }
  }
  const std::shared_ptr<AskedFit> ended = std::move(under_way_);
  under_way_.reset();
  const std::lock_guard lock(asked_mutex_);
  ended->done = true;
  asked_changed_.notify_all();
}

void Engine::recall_wish() {
  if (options_.model.empty()) return;
  try {
    std::ifstream file(description_of(options_.model));
    if (!file) return;
    const Json kept = Json::parse(file);
    if (!kept.contains("wish") ||
        kept.at("started_with").get<std::string>() != options_.method.fingerprint()) {
      return;
    }
    MethodRequest recalled = wish_from(kept.at("wish"));
    const std::lock_guard lock(state_mutex_);
    wish_ = std::move(recalled);
  } catch (const std::exception& error) {
    log_.write(LogLevel::warn, "the method asked for last time is not known",
               {{"error", error.what()}});
  }
}

}  // namespace palate::server
