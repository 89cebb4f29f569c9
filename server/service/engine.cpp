#include "server/service/engine.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "palate/error.hpp"

namespace palate::server {
namespace {

constexpr auto patience = std::chrono::seconds(5);

bool is_too_large(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return known != nullptr && known->code() == ErrorCode::too_large;
}

}  // namespace

std::string_view phase_name(Phase phase) noexcept {
  return phase == Phase::ready ? "ready" : phase == Phase::empty ? "empty" : "fitting";
}

Engine::Engine(const Options& options, Log& log)
    : options_(options), log_(log), store_(open_store(options.store)), wish_(options.method) {}

Engine::~Engine() { stop(); }

void Engine::start(std::function<void(std::exception_ptr)> failed) {
  failed_ = std::move(failed);
  maintainer_ = std::thread([this] { maintain(); });
  follower_ = std::thread([this] { follow(); });
  grapher_ = std::thread([this] { follow_with_graph(); });
}

void Engine::stop() {
  stopping_ = true;
  wake_.notify_all();
  if (maintainer_.joinable()) maintainer_.join();
  if (follower_.joinable()) follower_.join();
  if (grapher_.joinable()) grapher_.join();
  {
    const std::lock_guard lock(waiters_mutex_);
    for (Waiter& waiter : waiters_) waiter.done();
    waiters_.clear();
  }
  keep_at_the_end();
  const std::lock_guard lock(apply_mutex_);
  live_.reset();
}

// So few are taken in again at the next start sooner than a model is fitted and written; any number
// is where nothing but ratings has to be taken in, since each fit was kept. Nobody waits long for
// the end: what takes longer is left to the next start as well.
void Engine::keep_at_the_end() {
  constexpr std::uint64_t few = 100;
  constexpr double patience_seconds = 0.5;
  const std::lock_guard lock(apply_mutex_);
  if (!live_ || options_.model.empty() || applied_ < kept_sequence_ + few) return;
  if (!live_->follows() || pace_.fit_seconds() > patience_seconds) return;
  const auto start = Clock::now();
  const Progress in_time = [start](auto&&...) { return seconds_since(start) < patience_seconds; };
  try {
    keep(live_->refit({.threads = 0, .progress = in_time, .memory = options_.memory}), applied_,
         Clock::now());
  } catch (const std::exception& error) {
    log_.write(LogLevel::info, "the model was not kept at the end", {{"why", error.what()}});
  }
}

std::shared_ptr<const ModelState> Engine::state() const {
  const std::lock_guard lock(state_mutex_);
  return state_;
}

std::vector<Criterion> Engine::criteria() const {
  {
    const std::lock_guard lock(state_mutex_);
    if (!criteria_.empty()) return criteria_;
  }
  return store_->criteria();
}

void Engine::set_criteria(std::span<const Criterion> criteria) {
  store_->set_criteria(criteria);
  refresh_criteria();
}

void Engine::refresh_criteria() {
  std::vector<Criterion> now = store_->criteria();
  const std::lock_guard lock(state_mutex_);
  criteria_ = std::move(now);
}

std::optional<Choice> Engine::choice() const {
  const std::lock_guard lock(state_mutex_);
  return choice_;
}

std::pair<std::shared_ptr<const Json>, std::uint64_t> Engine::statistics() {
  const std::lock_guard lock(state_mutex_);
  statistics_wanted_ = true;
  return {statistics_, statistics_sequence_};
}

std::string Engine::store_trouble() const {
  const std::lock_guard lock(state_mutex_);
  return trouble_;
}

void Engine::note_trouble(std::string why) {
  const std::lock_guard lock(state_mutex_);
  trouble_ = std::move(why);
}

void Engine::when_counted(std::uint64_t sequence, std::function<void()> done) {
  if (sequence > applied_) {
    const std::lock_guard lock(apply_mutex_);
    if (sequence > applied_) note_missing(sequence);
  }
  {
    const std::lock_guard lock(waiters_mutex_);
    if (!stopping_ && (sequence > applied_ || model_due())) {
      waiters_.push_back({sequence, Clock::now() + patience, std::move(done)});
      return;
    }
  }
  done();
}

bool Engine::model_due() const { return (rebuild_wanted_ || building_ > 0) && !state(); }

// Lets those go who waited for what is counted now, or for too long.
void Engine::counted() {
  std::vector<std::function<void()>> ready;
  {
    const std::lock_guard lock(waiters_mutex_);
    const auto now = Clock::now();
    const bool due = model_due();
    std::deque<Waiter> left;
    for (Waiter& waiter : waiters_) {
      const bool counts = waiter.sequence <= applied_ && !due;
      if (counts || waiter.until <= now || stopping_) {
        ready.push_back(std::move(waiter.done));
      } else {
        left.push_back(std::move(waiter));
      }
    }
    waiters_.swap(left);
  }
  for (const auto& done : ready) done();
}

void Engine::publish() {
  std::shared_ptr<const ModelState> next;
  if (live_) {
    LiveSnapshot snapshot = live_->snapshot();
    const std::uint64_t behind = snapshot.behind() + missing_;
    std::optional<Time> since = snapshot.behind_since();
    if (!since) unlearned_since_.reset();
    for (const std::optional<Time>& other : {unlearned_since_, missing_since_}) {
      if (other && (!since || *other < *since)) since = other;
    }
    next = std::make_shared<const ModelState>(
        ModelState{std::move(snapshot), live_, applied_, generation_, epoch_, behind, since});
  }
  const std::lock_guard lock(state_mutex_);
  state_ = std::move(next);
}

// The rating's own order does not matter beside others' additions, only beside deletions.
void Engine::apply(LiveModel* live, std::span<const StoreChange> changes) {
  std::vector<RatingChange> pending;
  const auto flush = [&] {
    if (live != nullptr && !pending.empty()) live->apply(pending, Follow::later);
    pending.clear();
  };
  for (const StoreChange& change : changes) {
    if (change.kind != StoreChange::Kind::rating) ++epoch_;
    switch (change.kind) {
      case StoreChange::Kind::rating:
        pending.push_back({change.user, change.item,
                           change.rating ? change.rating->values : std::vector<float>{}});
        break;
      case StoreChange::Kind::user:
        directory_.put_user(change.user);
        if (live != nullptr) live->add_user(change.user);
        break;
      case StoreChange::Kind::item:
        if (std::optional<StoredItem> item = store_->find_item(change.item)) {
          if (live != nullptr) live->add_item(item->id, item->title);
          directory_.put_item(std::move(*item));
        }
        break;
      case StoreChange::Kind::user_deleted:
        flush();
        // Nobody whom a model in use counts; for others, see replay().
        if (change.user.empty()) break;
        directory_.remove_user(change.user);
        if (live != nullptr) live->remove_user(change.user, Follow::later);
        break;
      case StoreChange::Kind::item_deleted:
        flush();
        directory_.remove_item(change.item);
        if (live != nullptr) live->remove_item(change.item, Follow::later);
        break;
    }
  }
  flush();
}

void Engine::be_nice() noexcept {
  constexpr int niceness = 10;
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness));
}

void Engine::ask_for_rebuild() {
  {
    const std::lock_guard lock(wake_mutex_);
    rebuild_wanted_ = true;
  }
  wake_.notify_all();
}

// What a rebuild is to take in, in the store's count; 0: nothing.
void Engine::note_missing(std::uint64_t last) {
  const std::uint64_t applied = applied_;
  const std::uint64_t missing = last < applied ? last : last - applied;
  if (missing == missing_) return;
  if (missing_ == 0) missing_since_ = Clock::now();
  if (missing == 0) missing_since_.reset();
  missing_ = missing;
  publish();
}

void Engine::catch_up() {
  while (take_in()) {
  }
  counted();
}

// Where a fit is quicker, a little is taken in all the same, once a second: if it is no longer so
// slow, nothing more has to wait for the fit.
bool Engine::take_in() {
  constexpr std::size_t taste = 2 * Pace::enough_to_learn;
  const std::lock_guard lock(apply_mutex_);
  if (stopping_ || phase_ == Phase::fitting) return false;
  const std::uint64_t last = store_->last_sequence();
  if (last == applied_) return false;
  const auto start = Clock::now();
  // Where nothing but ratings follows, taking in is quick, and no fit spares it.
  const bool slow =
      last > applied_ && live_ && live_->follows() && pace_.better_fitted(last - applied_);
  // A store that was restored from a dump may be behind what it was.
  std::optional<std::vector<StoreChange>> changes;
  if (last > applied_ && (!slow || start >= taste_at_)) {
    changes = store_->changes_after(applied_, slow ? taste : page);
  }
  if (!changes) {
    slow_ = slow;
    note_missing(last);
    ask_for_rebuild();
    return false;
  }
  if (changes->empty()) return false;
  if (slow) taste_at_ = start + std::chrono::seconds(1);
  apply(live_.get(), *changes);
  if (!live_) {
    const bool rated = std::any_of(changes->begin(), changes->end(),
                                   [](const auto& change) { return change.rating.has_value(); });
    if (rated) ask_for_rebuild();
  }
  applied_ = changes->back().sequence;
  pace_.took(changes->size(), seconds_since(start));
  if (std::exchange(slow_, slow) && !slow) rebuild_wanted_ = false;
  missing_ = last - std::min<std::uint64_t>(last, applied_);
  if (missing_ == 0) missing_since_.reset();
  if (missing_ > 0 && !missing_since_) missing_since_ = start;
  // What counts for everybody at once changes everybody's lists.
  if (live_ && live_->snapshot().behind() == 0) ++epoch_;
  publish();
  graph_behind_ = true;
  wake_.notify_all();
  return true;
}

void Engine::follow() {
  while (!stopping_) {
    try {
      if (store_->wait_for_changes(std::chrono::milliseconds(500))) refresh_criteria();
      catch_up();
      note_trouble({});
    } catch (const std::exception& error) {
      note_trouble(error.what());
      log_.write(LogLevel::error, "following the store failed", {{"error", error.what()}});
      counted();
      pause(std::chrono::seconds(1));
    }
  }
}

void Engine::pause(std::chrono::duration<double> duration) {
  std::unique_lock lock(wake_mutex_);
  wake_.wait_for(lock, duration, [this] { return stopping_.load(); });
}

// Those who ask and those who write come first: the thread is nice to them, and rests as long as it
// works, but a tenth of a second at least. The more has come meanwhile, the less each change costs.
void Engine::follow_with_graph() {
  be_nice();
  constexpr std::chrono::duration<double> rest(0.1);
  while (!stopping_) {
    {
      std::unique_lock lock(wake_mutex_);
      wake_.wait_for(lock, std::chrono::milliseconds(500),
                     [this] { return stopping_ || graph_behind_; });
    }
    const auto start = Clock::now();
    try {
      std::shared_ptr<LiveModel> live;
      {
        const std::lock_guard lock(apply_mutex_);
        graph_behind_ = false;
        live = live_;
      }
      if (!live || live == outgrown_.lock() || !live->follow()) continue;
      const std::lock_guard lock(apply_mutex_);
      ++epoch_;
      if (live == live_) publish();
    } catch (const std::exception& error) {
      if (stopping_) break;
      if (is_too_large(error)) {
        {
          const std::lock_guard lock(apply_mutex_);
          outgrown_ = live_;
        }
        ask_for_rebuild();
      }
      log_.write(LogLevel::error, "the graph could not follow", {{"error", error.what()}});
      pause(std::chrono::seconds(1));
    }
    pause(std::max(rest, std::chrono::duration<double>(Clock::now() - start)));
  }
}

}  // namespace palate::server
