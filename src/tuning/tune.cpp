// Finds the settings of the method adaptive on ratings held back.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/random.hpp"
#include "palate/error.hpp"
#include "palate/model.hpp"
#include "ranking/memory_budget.hpp"
#include "tuning/choose_settings.hpp"
#include "tuning/trials.hpp"

namespace palate {
namespace {

using Weights = Adaptive::Weights;

// The search is on so many items and people at most; then the powers of items are chosen again on
// all items.
constexpr std::size_t most_items = 3000;
constexpr std::size_t most_people = 10'000;
// Few people are judged on several hold-outs.
constexpr std::size_t enough_people = 4000;
constexpr std::size_t most_hold_outs = 3;

// One setting that may be changed, by which steps, and how a person calls it.
struct Dial {
  const char* name;
  double Adaptive::*value;
  double step;
  double least, most;
  double neutral = 0;  // as if it were not there
  bool times = false;  // the step is a factor
  bool ridge_only = false;
  bool popularity = false;  // speaks of how popular items are, so that all have to be there
};
constexpr std::array dials = {
    Dial{.name = "target power",
         .value = &Adaptive::target_power,
         .step = 0.1,
         .least = -0.3,
         .most = 1.0,
         .popularity = true},
    Dial{.name = "source power",
         .value = &Adaptive::source_power,
         .step = 0.1,
         .least = -0.3,
         .most = 1.0,
         .popularity = true},
    Dial{.name = "rating power",
         .value = &Adaptive::rating_power,
         .step = 0.35,
         .least = 0.0,
         .most = 3.0},
    Dial{.name = "lambda",
         .value = &Adaptive::lambda,
         .step = 1.8,
         .least = 1e-3,
         .most = 1e4,
         .times = true,
         .ridge_only = true},
    Dial{.name = "link power",
         .value = &Adaptive::link_power,
         .step = 0.2,
         .least = 0.1,
         .most = 3.0,
         .neutral = 1},
    Dial{.name = "user power",
         .value = &Adaptive::user_power,
         .step = 0.125,
         .least = 0.0,
         .most = 0.75},
    Dial{.name = "lambda power",
         .value = &Adaptive::lambda_power,
         .step = 0.2,
         .least = -0.5,
         .most = 1.0,
         .ridge_only = true,
         .popularity = true},
    Dial{.name = "level power",
         .value = &Adaptive::level_power,
         .step = 0.5,
         .least = 0.0,
         .most = 3.0},
};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

Adaptive ease(double lambda) {
  return {.weights = Weights::ridge,
          .user_power = 0,
          .level_power = 0,
          .link_power = 1,
          .lambda = lambda,
          .lambda_power = 0,
          .source_power = 0,
          .target_power = 0,
          .rating_power = 0};
}

Adaptive graph(double a, double s, double alpha, double beta, double p, double g) {
  return {.weights = Weights::graph,
          .user_power = a,
          .level_power = g,
          .link_power = s,
          .source_power = alpha,
          .target_power = beta,
          .rating_power = p};
}

const std::pair<std::string, Adaptive> plain = {"plain linear filters",
                                                graph(0.5, 1, 0.5, 0.5, 1, 1)};

struct Candidate {
  std::string name;
  Adaptive settings;
  Worth worth;
  double value = 0;
};

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
        progress_(run.progress),
        pool_(run.threads, run.progress, "choose settings"),
        resources_{pool_, progress_, stages_, run.memory},
        threshold_(liked_from(ratings, options)) {
    choice_.method = Method("adaptive");
    choice_.measure = "mean of recall and NDCG at 5 and 10";
  }

  Choice run() {
    some_.emplace(hold_outs(most_items), ratings_.criteria(), resources_);
    choice_.users = some_->people();
    if (some_->people() < 2) return std::move(choice_);
    begin();
    Candidate best = search();
    take_apart(best);
    if (ratings_.items() > most_items && in_time()) best = widen(best);
    finish(best);
    return std::move(choice_);
  }

 private:
  std::vector<HoldOut> hold_outs(std::size_t items) const {
    std::vector<HoldOut> out;
    std::size_t people = 0;
    while (out.size() < most_hold_outs && people < enough_people) {
      out.emplace_back(ratings_, HoldOutOptions{.share = options_.validation,
                                                .seed = mix64(options_.seed) + out.size(),
                                                .threshold = threshold_,
                                                .items = items,
                                                .people = most_people});
      people += out.back().people();
      if (items == 0 || ratings_.items() > items || out.back().people() == 0) break;
    }
    return out;
  }

  bool in_time() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun_;
    return options_.seconds <= 0 || spent.count() < options_.seconds;
  }

  Candidate tried(Trials& trials, std::string name, const Adaptive& settings) {
    Candidate out{std::move(name), settings, trials.worth(settings), 0};
    out.value = mean(out.worth);
    tell();
    return out;
  }
  void tell() {
    ++done_;
    if (progress_ && !progress_("choose settings", done_, std::max<std::size_t>(done_, 60))) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  void note(const Candidate& candidate, const Gain& by, bool taken) {
    choice_.steps.push_back({candidate.name, candidate.value, by.mean, by.error, taken});
  }

  void begin() {
    const double mean_raters = static_cast<double>(some_->hold_outs()[0].levels().columns.size()) /
                               static_cast<double>(some_->hold_outs()[0].items());
    std::vector<std::pair<std::string, Adaptive>> starts = {{"a good ridge", Adaptive{}}};
    for (const double lambda : {50.0, 200.0, 800.0}) {
      starts.emplace_back("EASE^R, lambda " + number(lambda), ease(lambda / mean_raters));
    }
    starts.push_back(plain);
    starts.emplace_back("a good graph", graph(0.5, 0.3, 0.2, 0, 0, 1));
    for (auto& [name, settings] : starts) {
      starts_.push_back(tried(*some_, name, settings));
      note(starts_.back(), gain(starts_.front().worth, starts_.back().worth), false);
    }
    popularity_.name = "popularity";
    popularity_.worth = some_->popularity();
    popularity_.value = mean(popularity_.worth);
    note(popularity_, gain(starts_.front().worth, popularity_.worth), false);
    choice_.start = starts_[4].value;
  }

  const Candidate& best_of(Weights weights) const {
    const Candidate* best = nullptr;
    for (const Candidate& one : starts_) {
      if (one.settings.weights != weights) continue;
      if (best == nullptr || one.value > best->value) best = &one;
    }
    return *best;
  }

  // From the better of ridge and graph; from the other too, if it is not far behind.
  Candidate search() {
    const Candidate* first = &best_of(Weights::ridge);
    const Candidate* second = &best_of(Weights::graph);
    if (second->value > first->value) std::swap(first, second);
    Candidate best = descend(*first);
    const Gain behind = gain(first->worth, second->worth);
    if (behind.mean < -2 * behind.error) return best;
    Candidate other = descend(*second);
    return other.value > best.value ? other : best;
  }

  // Tries one dial upwards and downwards, going on while it gains.
  bool turn(Trials& trials, const Dial& dial, Candidate& best) {
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
        Candidate candidate = tried(trials, std::string(dial.name) + " " + number(value), next);
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

  Candidate descend(Candidate best) {
    for (int round = 0; round < 2; ++round) {
      bool any = false;
      for (const Dial& dial : dials) {
        if (dial.ridge_only && best.settings.weights == Weights::graph) continue;
        if (dial.popularity && ratings_.items() > most_items) continue;
        any |= turn(*some_, dial, best);
      }
      if (!any) break;
    }
    return best;
  }

  // What each part of the settings gives.
  void take_apart(const Candidate& best) {
    for (const Dial& dial : dials) {
      const double neutral = dial.times ? best.settings.*dial.value : dial.neutral;
      if (best.settings.*dial.value == neutral || !in_time()) continue;
      if (dial.ridge_only && best.settings.weights == Weights::graph) continue;
      Adaptive less = best.settings;
      less.*dial.value = neutral;
      const Candidate without = tried(*some_, std::string(dial.name) + " " + number(neutral), less);
      const Gain by = gain(best.worth, without.worth);
      choice_.without.push_back({without.name, without.value, by.mean, by.error, false});
    }
  }

  // From the items with the most ratings to all of them. The ridge stays as strong as it was, or
  // keeps its lambda; then the powers of items are chosen again.
  // Where even one matrix of each kind does not fit the memory, it stays as it is.
  Candidate widen(const Candidate& from) {
    const auto items = static_cast<double>(ratings_.items());
    const double pair = 2 * items * items * sizeof(float);
    const double room = MemoryBudget(resources_.memory).bytes();
    if (pair > room) return from;
    Trials all(hold_outs(0), ratings_.criteria(), resources_, 2 * pair > room ? 1 : 2);
    choice_.users = all.people();
    popularity_.value = mean(all.popularity());
    Candidate best = tried(all, "on all items", from.settings);
    note(best, {}, true);
    if (from.settings.weights == Weights::ridge && in_time()) {
      Adaptive as_strong = from.settings;
      as_strong.lambda *= some_->ridge_unit(as_strong) / all.ridge_unit(as_strong);
      take_if_better(best,
                     tried(all, "on all items, lambda " + number(as_strong.lambda), as_strong));
    }
    for (std::size_t k = 0; k < 2; ++k) turn(all, dials[k], best);
    take_if_better(best, tried(all, plain.first + ", on all items", plain.second));
    return best;
  }
  void take_if_better(Candidate& best, Candidate other) {
    const Gain by = gain(best.worth, other.worth);
    note(other, by, by.mean > by.error);
    if (by.mean > by.error) best = std::move(other);
  }

  void finish(const Candidate& best) {
    Method method("adaptive");
    for (const auto& [name, value] : {std::pair{"user_power", best.settings.user_power},
                                      {"level_power", best.settings.level_power},
                                      {"link_power", best.settings.link_power},
                                      {"lambda", best.settings.lambda},
                                      {"lambda_power", best.settings.lambda_power},
                                      {"source_power", best.settings.source_power},
                                      {"target_power", best.settings.target_power},
                                      {"rating_power", best.settings.rating_power}}) {
      method.set(name, number(value));
    }
    if (best.settings.weights == Weights::graph) method.set("weights", "graph");
    choice_.method = method;
    choice_.end = best.value;
    if (popularity_.value > best.value) {
      choice_.method = Method("popularity");
      choice_.end = popularity_.value;
    }
  }

  const Ratings& ratings_;
  const ChooseOptions& options_;
  Progress progress_;
  Stages stages_;
  ThreadPool pool_;
  FitResources resources_;
  double threshold_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::optional<Trials> some_;
  std::vector<Candidate> starts_;
  Candidate popularity_;
  Choice choice_;
  std::size_t done_ = 0;
};

}  // namespace

Choice tune(const Ratings& ratings, const ChooseOptions& options, const RunOptions& run) {
  check(ratings, options);
  return Search(ratings, options, run).run();
}

}  // namespace palate
