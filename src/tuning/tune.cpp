// Finds the settings of the method adaptive on ratings held back.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/random.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"
#include "palate/model.hpp"
#include "ranking/memory_budget.hpp"
#include "tuning/choose_settings.hpp"
#include "tuning/dials.hpp"
#include "tuning/trials.hpp"

namespace palate {
namespace {

using Weights = Adaptive::Weights;

// Ridges are searched on so many items, those with the most ratings, and on as many people as have
// so many pairs; what was found is then tried on all.
constexpr std::size_t head_items = 3000;
constexpr std::size_t most_people = 10'000;
constexpr double most_pairs = 4e8;
// Few people are judged on several hold-outs. With all items a trial takes longer.
constexpr std::size_t enough_people = 4000;
constexpr std::size_t enough_people_on_all = 1500;
constexpr std::size_t most_hold_outs = 3;
// Links of at most this share of all pairs are quicker than a matrix.
constexpr double few_links = 0.05;

struct Candidate {
  std::string name;
  Adaptive settings;
  Worth worth;
  double value = 0;
};

// Another method, tried for comparison.
struct Rival {
  std::string name;
  Method method;
  Worth worth = {};
};

// Of ratings of one person.
double pairs_of(const Ratings& ratings) {
  double sum = 0;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const auto count = static_cast<double>(ratings.of(user).size());
    sum += count * count;
  }
  return sum;
}

void check(const Ratings& ratings, const ChooseOptions& options) {
  if (!(options.validation > 0 && options.validation < 1)) {
    throw Error(ErrorCode::usage, "the validation share must be between 0 and 1", {},
                "0.1 sets one rating in ten aside");
  }
  if (ratings.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "there are no ratings to choose settings on");
  }
}

class Search {
 public:
  Search(const Ratings& ratings, const ChooseOptions& options, const RunOptions& run)
      : ratings_(ratings),
        options_(options),
        told_(run.progress),
        // What works for a trial has stages of its own; whoever waits is told of the trial.
        progress_([this](std::string_view, std::uint64_t, std::uint64_t) { return go_on(); }),
        pool_(run.threads, progress_, told_stage_),
        resources_{pool_, progress_, stages_, run.memory},
        room_(MemoryBudget(run.memory).bytes()),
        small_(ratings.items() <= head_items && pairs_of(ratings) <= most_pairs) {
    choice_.method = Method("adaptive");
    choice_.measure = "mean of recall and NDCG at 5 and 10";
    choice_.validation = options.validation;
    choice_.seed = options.seed;
    choice_.relevance = relevance_text(ratings, {.threshold = options.threshold});
    const double times = static_cast<double>(ratings.items()) / head_items;
    all_cost_ = small_ ? 1 : 3 * std::min(std::pow(times, 3), 40.0);
    expected_ = small_ ? 45 : 40 + 5 * all_cost_ + 20 * times;
  }

  Choice run() {
    try {
      explore();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::cancelled || !enough_) throw;
      best_ = so_far_;
    }
    finish();
    return std::move(choice_);
  }

 private:
  // ------------------------------------------------------------------------- what is tried where

  std::vector<std::shared_ptr<const HoldOut>> hold_outs(std::size_t items, std::size_t most,
                                                        std::size_t enough) const {
    std::vector<std::shared_ptr<const HoldOut>> out;
    std::size_t people = 0;
    while (out.size() < most && people < enough) {
      out.push_back(std::make_shared<const HoldOut>(
          ratings_, HoldOutOptions{.share = options_.validation,
                                   .seed = mix64(options_.seed) + out.size(),
                                   .threshold = options_.threshold,
                                   .items = items,
                                   .people = most_people,
                                   .pairs = items == 0 ? 0 : most_pairs}));
      people += out.back()->people();
      if (out.back()->people() == 0) break;
    }
    return out;
  }
  Trials trials_of(std::vector<std::shared_ptr<const HoldOut>> hold_outs,
                   const TrialForm& form = {}) const {
    return {std::move(hold_outs), ratings_.criteria(), resources_, form};
  }

  bool in_time() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun_;
    return options_.seconds <= 0 || spent.count() < options_.seconds;
  }

  Candidate tried(Trials& trials, std::string name, const Adaptive& settings, double cost = 1) {
    tell(name);
    Candidate out{std::move(name), settings, {}, 0};
    try {
      out.worth = trials.worth(settings);
    } catch (const Error& error) {
      // Links that were raised to a power need not give equations that can be solved.
      if (error.code() != ErrorCode::bad_input) throw;
      out.worth.assign(trials.people(), 0.0F);
    }
    out.value = mean(out.worth);
    done_ += cost;
    if (&trials == judged_on_ && (!so_far_ || out.value > so_far_->value)) so_far_ = out;
    return out;
  }
  // From now on the best so far is the best on these.
  void judge_on(const Trials& trials, std::optional<Candidate> known = {}) {
    judged_on_ = &trials;
    so_far_ = std::move(known);
  }
  void tell(const std::string& trying) {
    constexpr double parts = 100;
    told_stage_ = "choosing settings: " + trying;
    if (so_far_) told_stage_ += ", best so far " + short_number(so_far_->value);
    told_done_ = static_cast<std::uint64_t>(parts * done_);
    told_total_ = static_cast<std::uint64_t>(parts * std::max(expected_, done_ + 1));
    if (!go_on()) throw Error(ErrorCode::cancelled, "stopped on request");
  }
  bool go_on() {
    enough_ |= options_.enough && options_.enough();
    return !enough_ && (!told_ || told_(told_stage_, told_done_, told_total_));
  }
  void note(const Candidate& candidate, const Gain& by, bool taken) {
    choice_.steps.push_back({candidate.name, candidate.value, by.mean, by.error, taken});
  }
  void take_if_better(Candidate& best, Candidate other) {
    const Gain by = gain(best.worth, other.worth);
    note(other, by, by.mean > by.error);
    if (by.mean > by.error) best = std::move(other);
  }

  static bool few(const Trials& trials) { return trials.people() < enough_people; }
  // Of ways that were found apart none has to make its case against the others.
  void take_if_higher(Candidate other) {
    const bool higher = other.value > best_->value;
    note(other, gain(best_->worth, other.worth), higher);
    if (higher) best_ = std::move(other);
  }

  // --------------------------------------------------------------------------------- the search

  void explore() {
    Trials head = trials_of(hold_outs(head_items, small_ ? most_hold_outs : 1, enough_people));
    choice_.users = head.people();
    if (head.people_at_once() < enough_users) return;
    judge_on(head);
    begin(head);
    if (!small_) {
      explore_all(head);
      return;
    }
    compete(head);
    Candidate& first = best_start();
    best_ = descend(head, first);
    // The other branch too, if it began not far behind.
    if (Candidate& other =
            best_start(first.settings.weights == Weights::ridge ? Weights::graph : Weights::ridge);
        in_reach(first, other)) {
      Candidate found = descend(head, other);
      if (found.value > best_->value) best_ = std::move(found);
    }
    take_apart(head, *best_);
  }

  static bool in_reach(const Candidate& first, const Candidate& second) {
    const Gain behind = gain(first.worth, second.worth);
    return behind.mean >= -2 * behind.error;
  }

  void begin(Trials& head) {
    std::vector<std::pair<std::string, Adaptive>> starts = {{"a good ridge", Adaptive{}}};
    for (const double lambda : {10.0, 50.0, 200.0, 800.0}) {
      starts.emplace_back("EASE^R, lambda " + short_number(lambda),
                          ease_settings(lambda / head.mean_raters()));
    }
    starts.emplace_back("plain linear filters", plain_settings());
    starts.emplace_back("a good graph", good_graph_settings());
    for (auto& [name, settings] : starts) {
      starts_.push_back(tried(head, name, settings));
      note(starts_.back(), gain(starts_.front().worth, starts_.back().worth), false);
      if (!best_ || starts_.back().value > best_->value) best_ = starts_.back();
    }
    choice_.start = starts_[plain_start].value;
    simple_ = {starts_[plain_start], best_ease()};
  }
  [[nodiscard]] const Candidate& best_ease() const {
    return *std::max_element(starts_.begin() + 1, starts_.begin() + plain_start,
                             [](const auto& a, const auto& b) { return a.value < b.value; });
  }

  Candidate& best_start(std::optional<Weights> weights = {}) {
    Candidate* best = nullptr;
    for (Candidate& one : starts_) {
      if (weights && one.settings.weights != *weights) continue;
      if (best == nullptr || one.value > best->value) best = &one;
    }
    return *best;
  }

  // Other methods on the same people: none of them may be better than what is chosen.
  void compete(Trials& trials) {
    std::vector<Rival> rivals = {{"popularity", Method("popularity")},
                                 {"CA-GF, linear filters", Method(CaGf{})}};
    for (const std::string_view name : preset_names()) {
      // Second orders of a large graph take long.
      if (!moderate_ || !preset_suits(name, ratings_.criteria())) continue;
      rivals.push_back(
          {"CA-GF, preset " + std::string(name), Method(preset(name, ratings_.criteria()))});
    }
    for (Rival& rival : rivals) {
      if (!in_time()) return;
      tell(rival.name);
      rival.worth = trials.worth(rival.method);
      const Gain by = gain(best_->worth, rival.worth);
      choice_.steps.push_back({rival.name, mean(rival.worth), by.mean, by.error, false});
      rivals_.push_back(rival);
    }
  }

  // Tries one dial upwards and downwards, going on while it gains.
  bool turn(Trials& trials, const Dial& dial, Candidate& best, double cost = 1) {
    bool any = false;
    for (const double direction : {1.0, -1.0}) {
      bool going = true;
      while (going && in_time()) {
        Adaptive next = best.settings;
        double& value = next.*dial.value;
        const double before = value;
        value = dial.times ? value * std::pow(dial.step, direction) : value + direction * dial.step;
        value = std::clamp(value, dial.least, dial.most);
        if (std::abs(value - before) < 1e-9) break;
        Candidate candidate =
            tried(trials, std::string(dial.name) + " " + short_number(value), next, cost);
        const Gain by = gain(best.worth, candidate.worth);
        going = by.mean > by.error;
        note(candidate, by, going);
        if (going) best = std::move(candidate);
        any |= going;
      }
      if (any) break;  // what was gained upwards is not to be had downwards
    }
    return any;
  }

  Candidate descend(Trials& trials, Candidate best) {
    for (int round = 0; round < 2; ++round) {
      bool any = false;
      for (const Dial& dial : dials) {
        if (dial.ridge_only && best.settings.weights == Weights::graph) continue;
        if (dial.popularity && trials.items() < ratings_.items()) continue;
        any |= turn(trials, dial, best);
      }
      if (!any) break;
    }
    return best;
  }

  // What each part of the settings gives.
  void take_apart(Trials& trials, const Candidate& best) {
    for (const Dial& dial : dials) {
      const double neutral = dial.times ? best.settings.*dial.value : dial.neutral;
      if (best.settings.*dial.value == neutral || !in_time()) continue;
      if (dial.ridge_only && best.settings.weights == Weights::graph) continue;
      Adaptive less = best.settings;
      less.*dial.value = neutral;
      const Candidate without =
          tried(trials, std::string(dial.name) + " " + short_number(neutral), less);
      const Gain by = gain(best.worth, without.worth);
      choice_.without.push_back({without.name, without.value, by.mean, by.error, false});
    }
  }

  // -------------------------------------------------------------------------------- many items

  // Ridges are searched on the head, graphs on all items where their links are few; then both are
  // compared on all items. The ridge stays as strong as it was, or keeps its lambda, and what
  // needs no new weights is turned once more.
  void explore_all(Trials& head) {
    Candidate ridge = best_start(Weights::ridge);
    const bool ridge_leads = in_reach(best_start(Weights::graph), ridge);
    if (ridge_leads) {
      ridge = descend(head, ridge);
      best_ = ridge;
      take_apart(head, ridge);
    }
    if (!in_time()) return;
    const bool room_for_several = all_pairs(ratings_.items(), room_ / (2 * most_hold_outs));
    const auto held = hold_outs(0, room_for_several ? most_hold_outs : 1, enough_people_on_all);
    TrialForm form;
    // One of N and one of K; better two of each.
    form.pairs = all_pairs(ratings_.items(), room_ / 2);
    form.kept = all_pairs(ratings_.items(), room_ / 4) ? 2 : 1;
    if (!all_inverted(ratings_.items(), room_ / 2)) {
      form.wide = wide_options(ratings_.items(), room_ / 2);
    }
    form.sparse_graphs = !form.pairs || share_of_links(held.front()->levels()) < few_links;
    moderate_ = form.pairs;
    Trials all = trials_of(held, form);
    choice_.users = all.people();
    Candidate plain = tried(all, "plain linear filters, on all items", plain_settings());
    choice_.start = plain.value;
    simple_ = {plain};
    best_ = plain;
    note(plain, {}, true);
    take_if_higher(tried(all, "a good graph, on all items", good_graph_settings()));
    const Candidate graph = *best_;
    compete(all);
    if (!ridge_leads) judge_on(all, best_);
    if (ridge_leads && in_time()) {
      Candidate wide = widened(head, all, ridge);
      // The graph is still to be searched, which with many people is a gain to be had.
      if (few(all)) {
        take_if_higher(std::move(wide));
      } else {
        take_if_better(*best_, std::move(wide));
      }
    }
    // What was not searched yet has more to gain.
    constexpr double to_be_gained = 1.2;
    if (to_be_gained * graph.value > best_->value) explore_graph(all, graph, form);
  }

  Candidate widened(Trials& head, Trials& all, const Candidate& ridge) {
    Candidate best = tried(all, "the ridge on all items", ridge.settings, all_cost_);
    note(best, gain(best_->worth, best.worth), false);
    judge_on(all, best.value > best_->value ? best : *best_);
    Adaptive as_strong = ridge.settings;
    as_strong.lambda *= head.ridge_unit(as_strong) / all.ridge_unit(as_strong);
    if (in_time()) {
      take_if_better(best,
                     tried(all, "the ridge on all items, lambda " + short_number(as_strong.lambda),
                           as_strong, all_cost_));
    }
    for (const Dial& dial : dials) {
      if (dial.cheap || dial.times) turn(all, dial, best, dial.cheap ? 1 : all_cost_);
    }
    // EASE^R too, unless it was far behind.
    const Candidate& ease = best_ease();
    const Gain ahead = gain(ease.worth, ridge.worth);
    if (ahead.mean < 4 * ahead.error && in_time()) {
      Adaptive settings = ease.settings;
      settings.lambda *= head.mean_raters() / all.mean_raters();
      simple_.push_back(tried(all, ease.name + ", on all items", settings, all_cost_));
      if (simple_.back().value > best.value) best = simple_.back();
    }
    return best;
  }

  void explore_graph(Trials& all, Candidate start, const TrialForm& form) {
    if (!form.sparse_graphs) {
      // Each trial would take seconds: only what needs no new weights.
      for (const Dial& dial : dials) {
        if (dial.cheap) turn(all, dial, start);
      }
    } else if (!form.pairs) {
      start = descend(all, start);
    } else {
      Trials several = trials_of(hold_outs(0, most_hold_outs, 3 * most_people), form);
      const Candidate found = descend(several, tried(several, start.name, start.settings));
      if (best_->settings.weights == Weights::graph) take_apart(several, found);
      start = tried(all, "the graph that was found", found.settings);
    }
    // With few people, steps that gain by chance add up: to take the ridge's place they have to
    // gain more than that.
    const bool chancy = few(all) && best_->settings.weights == Weights::ridge;
    const Gain by = gain(best_->worth, start.worth);
    if (by.mean > (chancy ? by.error : 0)) {
      note(start, by, true);
      best_ = std::move(start);
    }
  }

  // --------------------------------------------------------------------------------- the end

  void finish() {
    if (!best_) return;
    for (const Candidate& one : simple_) {
      if (one.worth.size() == best_->worth.size() && one.value > best_->value) best_ = one;
    }
    Method method("adaptive");
    for (const auto& [name, value] : {std::pair{"user_power", best_->settings.user_power},
                                      {"level_power", best_->settings.level_power},
                                      {"link_power", best_->settings.link_power},
                                      {"lambda", best_->settings.lambda},
                                      {"lambda_power", best_->settings.lambda_power},
                                      {"source_power", best_->settings.source_power},
                                      {"target_power", best_->settings.target_power},
                                      {"rating_power", best_->settings.rating_power}}) {
      method.set(name, short_number(value));
    }
    if (best_->settings.weights == Weights::graph) method.set("weights", "graph");
    choice_.method = method;
    choice_.end = best_->value;
    Worth worth = best_->worth;
    for (const Rival& rival : rivals_) {
      if (rival.worth.size() != worth.size() || mean(rival.worth) <= choice_.end) continue;
      choice_.method = rival.method;
      choice_.end = mean(rival.worth);
      worth = rival.worth;
    }
    for (const Rival& rival : rivals_) compare(rival.name, rival.worth, worth);
    for (const Candidate& one : simple_) compare(one.name, one.worth, worth);
  }

  // Where both were measured on the same people.
  void compare(const std::string& name, const Worth& simple, const Worth& found) {
    if (simple.size() != found.size()) return;
    const Gain by = gain(simple, found);
    choice_.against.push_back({name, mean(simple), by.mean, by.error, false});
  }

  static constexpr std::size_t plain_start = 5;  // of starts_, after the ridge and four of EASE^R

  const Ratings& ratings_;
  const ChooseOptions& options_;
  const Progress& told_;
  std::string told_stage_ = "choosing settings";
  std::uint64_t told_done_ = 0, told_total_ = 0;
  bool enough_ = false;
  Progress progress_;
  Stages stages_;
  ThreadPool pool_;
  FitResources resources_;
  const double room_;
  const bool small_;
  bool moderate_ = true;  // not so many items that second orders take minutes
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  double done_ = 0, expected_ = 0, all_cost_ = 1;  // in trials on the head
  std::vector<Candidate> starts_;
  std::vector<Rival> rivals_;
  std::vector<Candidate> simple_;  // what was found is compared with these too
  std::optional<Candidate> best_;
  std::optional<Candidate> so_far_;  // where the search is left before its end
  const Trials* judged_on_ = nullptr;
  Choice choice_;
};

}  // namespace

Choice tune(const Ratings& ratings, const ChooseOptions& options, const RunOptions& run) {
  check(ratings, options);
  return Search(ratings, options, run).run();
}

}  // namespace palate
