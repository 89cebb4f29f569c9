// The engine's slower half: fitting, keeping and loading models. All of it runs on one thread.

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/atomic_file.hpp"
#include "palate/error.hpp"
#include "palate/memory.hpp"
#include "server/service/choice_json.hpp"
#include "server/service/engine.hpp"
#include "server/service/kept_wish.hpp"
#include "server/service/statistics.hpp"

namespace palate::server {
namespace {

// With fewer ratings, a validation part says nothing.
constexpr std::size_t enough_to_choose = 200;

std::chrono::duration<double> unix_now() {
  return std::chrono::system_clock::now().time_since_epoch();
}
Clock::time_point ago(std::chrono::duration<double> age) {
  return Clock::now() - std::chrono::duration_cast<Clock::duration>(
                            std::max(age, std::chrono::duration<double>(0)));
}

// What a fit took is not kept for the next one: that may be an hour away.
struct Released {
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() { release_memory(); }
};

bool same_names(std::span<const Criterion> one, std::span<const Criterion> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Criterion& a, const Criterion& b) { return a.name == b.name; });
}

}  // namespace

RunOptions Engine::run_options(unsigned threads) const {
  return {.threads = threads,
          .progress =
              [this, told = Clock::now()](std::string_view stage, std::uint64_t done,
                                          std::uint64_t total) mutable {
                constexpr double line_interval = 10;
                if (seconds_since(told) > line_interval) {
                  told = Clock::now();
                  const auto share = static_cast<double>(done) / static_cast<double>(total);
                  log_.write(
                      LogLevel::info, "working on a model",
                      {{"stage", stage}, {"percent", total > 0 ? std::round(100 * share) : 0}});
                }
                if (under_way_ && !under_way_->progress(stage, done, total)) return false;
                return !stopping_;
              },
          .memory = options_.memory};
}

std::string Engine::wishes() const {
  const MethodRequest wanted = wish();
  std::string out = wanted.fingerprint();
  if (options_.threshold && wanted.automatic()) {
    out += ";threshold=" + Json(*options_.threshold).dump();
  }
  return out;
}

bool Engine::load_kept() {
  if (options_.model.empty() || !std::filesystem::exists(options_.model)) return false;
  const auto give_up = [this](std::string_view why) {
    log_.write(LogLevel::info, "the kept model is not used", {{"why", why}});
    return false;
  };
  try {
    const auto start = Clock::now();
    std::ifstream file(description_of(options_.model));
    if (!file) return give_up("there is no description beside it");
    const Json kept = Json::parse(file);
    const auto sequence = kept.at("sequence").get<std::uint64_t>();
    const std::chrono::duration<double> read_at(kept.value("read_at", unix_now().count()));
    if (kept.at("settings").get<std::string>() != wishes()) {
      return give_up("it was made with other settings");
    }
    if (kept.value("store", "") != store_->identity() || sequence > store_->last_sequence()) {
      return give_up("it is of another store");
    }
    {
      // What was chosen on these ratings holds, whatever becomes of the model.
      const std::lock_guard lock(state_mutex_);
      if (!kept.at("choice").is_null()) choice_ = choice_from(kept.at("choice"));
      chosen_at_ = kept.at("chosen_at").get<std::size_t>();
    }
    // Copied: whoever cuts the file while the server runs must not end it.
    const Model model = Model::load(options_.model, ModelBytes::copied);
    if (!same_names(model.ratings().criteria(), criteria())) {
      return give_up("it has other criteria");
    }
    Fitted fitted{live_of(model), model.ratings(), sequence, ago(unix_now() - read_at)};
    constexpr std::uint64_t too_far = 20'000;
    if (store_->last_sequence() - sequence > too_far + model.ratings().interactions() / 10) {
      return give_up("too much has changed since");
    }
    directory_.load(*store_);
    if (!replay(fitted)) return give_up("the store's log does not reach it");
    if (fitted.live->snapshot().interactions() != store_->counts().ratings) {
      return give_up("it counts other ratings than the store");
    }
    set_statistics(model.ratings(), sequence);
    kept_sequence_ = sequence;
    if (kept.contains("fit_seconds")) pace_.fitted(kept["fit_seconds"].get<double>());
    install(std::move(fitted));
    log_.write(LogLevel::info, "model loaded",
               {{"file", options_.model.string()},
                {"sequence", sequence},
                {"replayed_to", applied_.load()},
                {"seconds", seconds_since(start)}});
    return true;
  } catch (const std::exception& error) {
    return give_up(error.what());
  }
}

std::shared_ptr<LiveModel> Engine::live_of(const Model& model) const {
  return std::make_shared<LiveModel>(
      model, RunOptions{.threads = 0, .progress = unless_stopping(), .memory = options_.memory});
}

// False: the graph would outgrow what it may take. A fit keeps less of it.
bool Engine::follow_all(LiveModel& live) {
  try {
    live.follow();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    return false;
  }
}

bool Engine::replay(Fitted& fitted) {
  bool nameless = false;
  std::set<std::string> met;  // people of the fit who were changed, or came back
  while (!stopping_) {
    const auto changes = store_->changes_after(fitted.sequence, page);
    if (!changes) return false;
    if (changes->empty()) {
      if (nameless) settle_nameless(fitted, met);
      return follow_all(*fitted.live);
    }
    apply(fitted.live.get(), *changes);
    for (const StoreChange& change : *changes) {
      nameless =
          nameless || (change.kind == StoreChange::Kind::user_deleted && change.user.empty());
      if (change.kind == StoreChange::Kind::user && fitted.ratings.find_user(change.user)) {
        met.insert(change.user);
      }
    }
    fitted.sequence = changes->back().sequence;
  }
  return true;
}

// A store keeps no name of who left. Whoever the fit knows and the store does not is gone; whoever
// came back under the same name has what the store has of them, and nothing of before.
void Engine::settle_nameless(const Fitted& fitted, const std::set<std::string>& met) {
  LiveModel& live = *fitted.live;
  for (std::uint32_t user = 0; user < fitted.ratings.users(); ++user) {
    const std::string id(fitted.ratings.user_id(user));
    if (!directory_.has_user(id)) live.remove_user(id, Follow::later);
  }
  for (const std::string& id : met) {
    if (!directory_.has_user(id)) continue;
    live.remove_user(id, Follow::later);
    live.add_user(id);
    std::vector<RatingChange> now;
    for (StoredRating& rating : store_->ratings_of(id)) {
      now.push_back({id, std::move(rating.item), std::move(rating.values)});
    }
    live.apply(now, Follow::later);
  }
}

void Engine::install(Fitted fitted) {
  const std::lock_guard lock(apply_mutex_);
  if (!replay(fitted)) rebuild_wanted_ = true;
  live_ = std::move(fitted.live);
  applied_ = fitted.sequence;
  missing_ = 0;
  missing_since_.reset();
  unlearned_since_ = fitted.read_at;
  slow_ = false;
  ++generation_;
  phase_ = Phase::ready;
  publish();
  store_->forget_departed(applied_);
}

std::optional<Choice> Engine::choose(const Ratings& ratings, const RunOptions& run) {
  const MethodRequest wanted = wish();
  if (!wanted.automatic() || ratings.interactions() < enough_to_choose) return choice();
  std::optional<Choice> made;
  try {
    std::optional<Choice> none;
    made = resolve(wanted, ratings, {.threshold = options_.threshold}, run, &none).choice;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    log_.write(LogLevel::warn, "filters could not be chosen", {{"error", error.what()}});
  }
  // Without a step, nothing could be told apart: these are what anyone gets who chooses nothing.
  if (made && made->steps.empty()) made.reset();
  const std::lock_guard lock(state_mutex_);
  refused_at_ = made ? 0 : ratings.interactions();
  if (made) chosen_at_ = ratings.interactions();
  return made ? made : choice_;
}

void Engine::be_empty(const RatingStore::Everything& all) {
  const std::lock_guard lock(apply_mutex_);
  live_.reset();
  applied_ = all.sequence;
  phase_ = Phase::empty;
  publish();
}

void Engine::rebuild(Chosen chosen, unsigned threads) {
  const auto start = Clock::now();
  const auto go_on = [this] {
    if (stopping_) throw Error(ErrorCode::cancelled, "stopped on request");
  };
  go_on();
  std::optional<Counted> building(building_);
  rebuild_wanted_ = false;
  const Time read_at = Clock::now();
  const RatingStore::Everything all = store_->read_all(unless_stopping());
  go_on();
  // After the ratings: what changes from now on is taken in once more before the model is used.
  directory_.load(*store_);
  set_statistics(all.ratings, all.sequence);
  refresh_criteria();
  double choosing = 0;
  std::optional<Choice> found;
  std::optional<Model> model;
  try {
    if (all.ratings.interactions() > 0) {
      const auto chosen_since = Clock::now();
      found = chosen == Chosen::anew ? choose(all.ratings, run_options(threads)) : choice();
      choosing = seconds_since(chosen_since);
      const RunOptions run = run_options(threads);
      const MethodRequest wanted = wish();
      std::optional<Choice> known = found.value_or(Choice{.method = Method(wanted.method)});
      model = fit(all.ratings, resolve(wanted, all.ratings, {}, run, &known), run);
    }
  } catch (const Error& error) {
    // Ratings that no model can be made of yet; more will come.
    if (error.code() != ErrorCode::bad_input || under_way_) throw;
    log_.write(LogLevel::warn, "no model can be fitted yet", {{"error", error.what()}});
  }
  if (model) {
    Fitted fitted{live_of(*model), all.ratings, all.sequence, read_at};
    {
      const std::lock_guard lock(state_mutex_);
      choice_ = std::move(found);
    }
    // Most of what came meanwhile is taken in before others have to wait for the rest.
    static_cast<void>(replay(fitted));
    pace_.fitted(seconds_since(start) - choosing);
    install(std::move(fitted));
  } else {
    be_empty(all);
  }
  building.reset();
  counted();
  rebuilt_at_ = Clock::now();
  if (!model) return;
  log_.write(LogLevel::info, "model fitted",
             {{"interactions", all.ratings.interactions()},
              {"sequence", all.sequence},
              {"choosing_seconds", choosing},
              {"seconds", pace_.fit_seconds()}});
  keep(*model, all.sequence, read_at);
}

// The model first: a description that is older than its model only means that changes which it
// counts already are taken in once more, and that changes nothing.
void Engine::keep(const Model& model, std::uint64_t sequence, Time read_at) {
  kept_at_ = Clock::now();
  if (options_.model.empty()) return;
  try {
    const auto chosen = choice();
    Json text = {{"store", store_->identity()},
                 {"sequence", sequence},
                 {"fit_seconds", pace_.fit_seconds()},
                 {"read_at", unix_now().count() - seconds_since(read_at)},
                 {"settings", wishes()},
                 {"wish", wish_json(wish())},
                 {"started_with", options_.method.fingerprint()},
                 {"choice", chosen ? choice_json(*chosen) : Json(nullptr)},
                 {"chosen_at", chosen_at_}};
    model.save(options_.model);
    AtomicFile file(description_of(options_.model));
    file.write(dump(text) + "\n");
    file.commit();
    kept_sequence_ = sequence;
    log_.write(LogLevel::info, "model kept",
               {{"file", options_.model.string()}, {"sequence", sequence}});
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "the model could not be kept", {{"error", error.what()}});
  }
}

bool Engine::wants_choice() const {
  const auto now = state();
  if (!wish().automatic() || !now) return false;
  const std::size_t interactions = now->snapshot.interactions();
  const std::lock_guard lock(state_mutex_);
  return interactions >= enough_to_choose && interactions >= 2 * chosen_at_ &&
         interactions != refused_at_;
}

void Engine::set_statistics(const Ratings& ratings, std::uint64_t sequence) {
  auto next = std::make_shared<const Json>(statistics_json(ratings));
  const std::lock_guard lock(state_mutex_);
  statistics_ = std::move(next);
  statistics_sequence_ = sequence;
}

// Every fit but the first. One without which ratings cannot be taken in begins at once, and the
// first choice of settings as soon as there is enough to choose by; others, and a choice that
// failed before, after a rest that keeps all of them to their share of a core.
void Engine::refit_if_due() {
  const auto now = state();
  const bool calm = !now || bulk_ == 0 || seconds_since(rebuilt_at_) > 10;
  const bool rested = now && Clock::now() >= rested_at_;
  const bool old =
      now && now->live->changes_since_fit() > 0 && seconds_since(kept_at_) > options_.save_seconds;
  const bool lags = now && !now->live->follows() && now->snapshot.behind() > 0;
  const bool at_once = rebuild_wanted_ && calm;
  const bool first = !choice() && refused_at_ == 0;
  const bool choose = !at_once && (rested || first) && bulk_ == 0 && wants_choice();
  const bool due = at_once || choose || (rested && (old || (lags && calm)));
  if (!due || Clock::now() < retry_at_) {
    if (rebuild_wanted_) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return;
  }
  const auto start = Clock::now();
  const Released tidy;
  const auto rest = [&] {
    if (now)
      rested_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      (Clock::now() - start) * (1 / options_.refit_share - 1));
  };
  try {
    rebuild(choose ? Chosen::anew : Chosen::keep, 1);
  } catch (...) {
    rest();
    // Whoever asked for it still waits.
    if (at_once) rebuild_wanted_ = true;
    constexpr Clock::duration least = std::chrono::seconds(5);
    retry_at_ = Clock::now() + std::max(least, 10 * (Clock::now() - start));
    throw;
  }
  rest();
}

void Engine::begin() {
  if (!options_.model.empty()) {
    AtomicFile::remove_leftovers(options_.model);
    AtomicFile::remove_leftovers(description_of(options_.model));
  }
  const Released tidy;
  for (;;) {
    try {
      refresh_criteria();
      recall_wish();
      if (!load_kept()) rebuild(choice() ? Chosen::keep : Chosen::anew, options_.threads);
      return;
    } catch (const Error& error) {
      // The store could be reached when it was opened, so it will be again.
      if (stopping_ || error.code() != ErrorCode::io) throw;
      log_.write(LogLevel::error, "the store could not be read", {{"error", error.what()}});
      pause(std::chrono::seconds(1));
    }
  }
}

void Engine::maintain() {
  try {
    begin();
  } catch (...) {
    if (!stopping_) failed_(std::current_exception());
    return;
  }
  be_nice();
  kept_at_ = Clock::now();
  log_.write(LogLevel::info, "ready",
             {{"state", phase_name(phase_)}, {"sequence", applied_.load()}});
  auto statistics_after = Clock::now();
  while (!stopping_) {
    {
      std::unique_lock lock(wake_mutex_);
      wake_.wait_for(lock, std::chrono::seconds(1),
                     [this] { return stopping_ || rebuild_wanted_ || fit_asked_for_; });
    }
    try {
      if (stopping_) break;
      refit_if_asked();
      refit_if_due();
      if (statistics_wanted_ && statistics_sequence_ < applied_ &&
          Clock::now() >= statistics_after) {
        statistics_wanted_ = false;
        const auto start = Clock::now();
        const RatingStore::Everything all = store_->read_all(unless_stopping());
        set_statistics(all.ratings, all.sequence);
        // At most a twentieth of one core's time goes into this.
        statistics_after = Clock::now() + std::chrono::seconds(2) + 20 * (Clock::now() - start);
      }
    } catch (const std::exception& error) {
      if (stopping_) break;
      log_.write(LogLevel::error, "fitting failed", {{"error", error.what()}});
    }
  }
}

}  // namespace palate::server
