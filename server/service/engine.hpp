// The store and the model that follows it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "palate/live.hpp"
#include "palate/rating_store.hpp"
#include "server/http/json.hpp"
#include "server/http/log.hpp"
#include "server/service/directory.hpp"
#include "server/service/options.hpp"
#include "server/service/pace.hpp"

namespace palate::server {

using Clock = std::chrono::steady_clock;

/// One state of the model, with the store's sequence up to which it counts everything.
struct ModelState {
  LiveSnapshot snapshot;
  std::shared_ptr<LiveModel> live;
  std::uint64_t sequence = 0;
  std::uint64_t generation = 0;  ///< fits so far: filters may differ between them
  /// Changes with everything that lists depend on, but for the ratings of the person asking and,
  /// where live->follows() is false, what is popular.
  std::uint64_t epoch = 0;
  /// Changes that graph or weights do not count yet, and when the first of them came, or earlier.
  std::uint64_t behind = 0;
  std::optional<Clock::time_point> behind_since = {};
};

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

enum class Phase { fitting, empty, ready };
[[nodiscard]] std::string_view phase_name(Phase phase) noexcept;

/// Changes reach the model on one way alone: they are read from the store's log, in the order of
/// its sequence, under one lock. Our own writes take that way too, right after they are durable, so
/// that any number of servers on one database see the same order. A person's ratings count from
/// then on; the graph follows on a thread of its own, for all that came meanwhile at once. Weights
/// that no graph can follow are fitted anew in the background, and so are kept models.
class Engine {
 public:
  Engine(const Options& options, Log& log);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Begins to fit and to follow. `failed` is called if there can be no model, with the reason.
  void start(std::function<void(std::exception_ptr)> failed);
  /// Ends all threads; keeps the model.
  void stop();

  [[nodiscard]] RatingStore& store() noexcept { return *store_; }
  [[nodiscard]] const Directory& directory() const noexcept { return directory_; }
  /// Null until there is a model.
  [[nodiscard]] std::shared_ptr<const ModelState> state() const;
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] std::vector<Criterion> criteria() const;
  /// Throws Error{usage} if there are ratings and names would change.
  void set_criteria(std::span<const Criterion> criteria);
  [[nodiscard]] std::optional<Choice> choice() const;
  /// Distributions of the ratings, and the sequence that they count.
  [[nodiscard]] std::pair<std::shared_ptr<const Json>, std::uint64_t> statistics();
  [[nodiscard]] std::uint64_t sequence() const noexcept { return applied_; }
  /// Why the store cannot be followed, and so not be relied on; empty if it can.
  [[nodiscard]] std::string store_trouble() const;

  /// What is served, or will be with the first model.
  [[nodiscard]] MethodRequest wish() const;
  /// Fits what is asked for on all ratings and serves it from then on, also after a restart if
  /// models are kept. Blocks; throws what went wrong, and then nothing has changed.
  void refit(const MethodRequest& wish, const RunOptions& run);

  /// Takes in what is new in the store.
  void catch_up();
  /// Calls `done` when the model counts everything up to `sequence`, or after a few seconds. Until
  /// it does, the state says that it is behind.
  void when_counted(std::uint64_t sequence, std::function<void()> done);

  /// Counts as one while it lives.
  class Counted {
   public:
    explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    std::atomic<int>& count_;
  };
  /// To be counted in while many rows are written, or other fits go on: fits wait for the end.
  [[nodiscard]] std::atomic<int>& bulk() noexcept { return bulk_; }

  /// The calling thread, and those it starts, get what others leave. Without the right or the
  /// means, nothing changes.
  static void be_nice() noexcept;

 private:
  using Time = Clock::time_point;
  /// So many changes are read from the store at once.
  static constexpr std::size_t page = 2'000;
  enum class Chosen { keep, anew };
  struct Fitted {
    std::shared_ptr<LiveModel> live;
    Ratings ratings;  ///< of the fit
    std::uint64_t sequence = 0;
    Time read_at = Clock::now();  ///< when the ratings of the fit were all there was, or earlier
  };

  void follow();
  void follow_with_graph();
  void maintain();
  /// The kept model, or a fit; waits for a store that cannot be reached for a while.
  void begin();
  [[nodiscard]] bool load_kept();
  void rebuild(Chosen chosen, unsigned threads);
  /// Made anew where there is enough to choose by, else what was chosen before.
  [[nodiscard]] std::optional<Choice> choose(const Ratings& ratings, const RunOptions& run);
  [[nodiscard]] Progress unless_stopping() const {
    return [this](auto&&...) { return !stopping_; };
  }
  [[nodiscard]] std::shared_ptr<LiveModel> live_of(const Model& model) const;
  [[nodiscard]] static bool follow_all(LiveModel& live);
  /// Takes in all that came since. False: the store's log does not reach back so far, or the model
  /// cannot hold it all.
  [[nodiscard]] bool replay(Fitted& fitted);
  /// People of the fit who left when nobody here knew them any more, or came back since.
  void settle_nameless(const Fitted& fitted, const std::set<std::string>& met);
  void install(Fitted fitted);
  void apply(LiveModel* live, std::span<const StoreChange> changes);
  /// One page of what is new; false if there is nothing more to take in now.
  bool take_in();
  void publish();
  void counted();
  void keep(const Model& model, std::uint64_t sequence, Time read_at);
  void refresh_criteria();
  void set_statistics(const Ratings& ratings, std::uint64_t sequence);
  /// Waits, but not beyond stop().
  void pause(std::chrono::duration<double> duration);
  void ask_for_rebuild();
  void refit_if_due();
  /// What refit() asks for, on the thread that fits.
  void refit_if_asked();
  /// A wish of before the last start, unless the server was started with another since.
  void recall_wish();
  void note_missing(std::uint64_t last);
  void note_trouble(std::string why);
  void keep_at_the_end();
  [[nodiscard]] bool wants_choice() const;
  /// There is none yet, but there will be in a moment.
  [[nodiscard]] bool model_due() const;
  void be_empty(const RatingStore::Everything& all);
  [[nodiscard]] RunOptions run_options(unsigned threads) const;
  /// What a kept model has to have been made with, to be used again.
  [[nodiscard]] std::string wishes() const;

  const Options& options_;
  Log& log_;
  std::unique_ptr<RatingStore> store_;
  Directory directory_;
  std::atomic<Phase> phase_ = Phase::fitting;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> bulk_ = 0;
  std::function<void(std::exception_ptr)> failed_;

  std::mutex apply_mutex_;  ///< held while changes become a state
  std::shared_ptr<LiveModel> live_;
  std::atomic<std::uint64_t> applied_ = 0;
  std::uint64_t missing_ = 0;  ///< changes of the store that wait for a rebuild to be taken in
  std::optional<Time> missing_since_;
  std::optional<Time> unlearned_since_;  ///< the fit has missed changes from then on, or later
  std::uint64_t generation_ = 0;
  std::atomic<std::uint64_t> epoch_ = 0;
  Pace pace_;
  Time taste_at_;      ///< no change is taken in before, while a fit is quicker
  bool slow_ = false;  ///< a rebuild was asked for because it is quicker

  mutable std::mutex state_mutex_;
  std::shared_ptr<const ModelState> state_;
  std::vector<Criterion> criteria_;
  MethodRequest wish_;
  std::optional<Choice> choice_;
  std::size_t chosen_at_ = 0;   ///< interactions when settings were chosen
  std::size_t refused_at_ = 0;  ///< interactions when they could not be, the last time
  std::string trouble_;         ///< see store_trouble()
  std::shared_ptr<const Json> statistics_;
  std::atomic<std::uint64_t> statistics_sequence_ = 0;
  std::atomic<bool> statistics_wanted_ = false;

  struct AskedFit {
    MethodRequest wish;
    Progress progress;
    bool taken = false, done = false;
    std::exception_ptr wrong = nullptr;
  };
  std::mutex asked_mutex_;
  std::condition_variable asked_changed_;
  std::shared_ptr<AskedFit> asked_;          ///< waits for the thread that fits
  std::shared_ptr<AskedFit> under_way_;      ///< of that thread alone
  std::atomic<bool> fit_asked_for_ = false;  ///< asked_ is there

  struct Waiter {
    std::uint64_t sequence;
    Time until;
    std::function<void()> done;
  };
  std::mutex waiters_mutex_;
  std::deque<Waiter> waiters_;
  std::atomic<bool> rebuild_wanted_ = false;
  std::atomic<int> building_ = 0;
  std::uint64_t kept_sequence_ = 0;
  Time kept_at_;
  Time rebuilt_at_;
  Time rested_at_;  ///< no fit in the background before, unless ratings could not be taken in
  Time retry_at_;   ///< no fit at all before: the last one failed

  std::mutex wake_mutex_;
  std::condition_variable wake_;
  std::atomic<bool> graph_behind_ = false;
  std::weak_ptr<LiveModel> outgrown_;  ///< its graph may not take what following would
  std::thread follower_, grapher_, maintainer_;
};

}  // namespace palate::server
