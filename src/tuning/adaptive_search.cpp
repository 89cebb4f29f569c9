#include "tuning/adaptive_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "palate/error.hpp"
#include "tuning/trials.hpp"

namespace palate {
namespace {

using Weights = Adaptive::Weights;

// The search is on so many items and people at most; then the powers of items are chosen again on
// all items.
constexpr std::size_t most_items = 3000;
constexpr std::size_t most_people = 4000;
constexpr std::size_t most_hold_outs = 3;

// One setting that may be changed, by which steps, and how a person calls it.
struct Dial {
  const char* name;
  double Adaptive::*value;
  double step;
  bool times;  // the step is a factor
  double least, most;
  bool ridge_only;
};
constexpr std::array dials = {
    Dial{"target power", &Adaptive::target_power, 0.1, false, -0.3, 1.0, false},
    Dial{"source power", &Adaptive::source_power, 0.1, false, -0.3, 1.0, false},
    Dial{"rating power", &Adaptive::rating_power, 0.35, false, 0.0, 3.0, false},
    Dial{"lambda", &Adaptive::lambda, 1.8, true, 1e-3, 1e4, true},
    Dial{"link power", &Adaptive::link_power, 0.2, false, 0.1, 3.0, false},
    Dial{"user power", &Adaptive::user_power, 0.125, false, 0.0, 0.75, false},
    Dial{"lambda power", &Adaptive::lambda_power, 0.2, false, -0.5, 1.0, true},
    Dial{"level power", &Adaptive::level_power, 0.5, false, 0.0, 3.0, false},
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

struct Candidate {
  std::string name;
  Adaptive settings;
  Worth worth;
  double value = 0;
};

class Search {
 public:
  Search(const Ratings& ratings, const ChooseOptions& options, const RunOptions& run)
      : ratings_(ratings),
        options_(options),
        progress_(run.progress),
        pool_(run.threads, run.progress, "choose settings"),
        resources_{pool_, progress_, stages_, run.memory} {}

  AdaptiveChoice run() {
    some_.emplace(hold_outs(most_items), ratings_.criteria(), resources_);
    choice_.people = some_->people();
    if (some_->people() < 2) return std::move(choice_);
    begin();
    Candidate best = descend(*best_of(Weights::ridge));
    Candidate other = *best_of(Weights::graph);
    // The branch that begins behind may still win, unless it is far behind.
    const Gain behind = gain(best_of(Weights::ridge)->worth, other.worth);
    if (behind.mean > -4 * behind.error) {
      other = descend(other);
      if (gain(best.worth, other.worth).mean > 0) std::swap(best, other);
    }
    if (ratings_.items() > most_items) best = widen(best);
    finish(best);
    return std::move(choice_);
  }

 private:
  std::vector<HoldOut> hold_outs(std::size_t items) const {
    std::vector<HoldOut> out;
    std::size_t people = 0;
    while (out.size() < most_hold_outs && people < most_people) {
      out.emplace_back(ratings_, HoldOutOptions{.share = options_.validation,
                                                .seed = options_.seed + out.size(),
                                                .threshold = threshold_,
                                                .items = items,
                                                .people = most_people});
      people += out.back().people();
      if (items == 0 || ratings_.items() > items || out.back().people() == 0) break;
    }
    return out;
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
    starts.emplace_back("the plain linear filter", graph(0.5, 1, 0.5, 0.5, 1, 1));
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

  const Candidate* best_of(Weights weights) const {
    const Candidate* best = nullptr;
    for (const Candidate& one : starts_) {
      if (one.settings.weights != weights) continue;
      if (best == nullptr || one.value > best->value) best = &one;
    }
    return best;
  }

  // Tries one dial upwards and downwards, going on while it gains.
  bool turn(Trials& trials, const Dial& dial, Candidate& best) {
    bool any = false;
    for (const double direction : {1.0, -1.0}) {
      bool going = true;
      while (going) {
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
        any |= turn(*some_, dial, best);
      }
      if (!any) break;
    }
    return best;
  }

  // From the items with the most ratings to all of them: the ridge stays as strong, and the powers
  // of items are chosen again.
  Candidate widen(const Candidate& from) {
    Trials all(hold_outs(0), ratings_.criteria(), resources_);
    Adaptive settings = from.settings;
    settings.lambda *= some_->ridge_unit(settings) / all.ridge_unit(settings);
    Candidate best = tried(all, "on all items", settings);
    choice_.people = all.people();
    note(best, {}, true);
    for (std::size_t k = 0; k < 2; ++k) turn(all, dials[k], best);
    return best;
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
  }

  const Ratings& ratings_;
  const ChooseOptions& options_;
  Progress progress_;
  Stages stages_;
  ThreadPool pool_;
  FitResources resources_;
  double threshold_ = 3;
  std::optional<Trials> some_;
  std::vector<Candidate> starts_;
  Candidate popularity_;
  AdaptiveChoice choice_;
  std::size_t done_ = 0;
};

}  // namespace

AdaptiveChoice choose_adaptive(const Ratings& ratings, const ChooseOptions& options,
                       const RunOptions& run) {
  return Search(ratings, options, run).run();
}

}  // namespace palate
