// Choice of filters from ratings held back: what was published for as many criteria, or else plain
// linear filters, then one change at a time, which counts if it gains more than twice its standard
// error.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "methods/ca_gf/presets.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"
#include "palate/model.hpp"
#include "tuning/choose_settings.hpp"
#include "tuning/trials.hpp"
#include "tuning/validation_scores.hpp"

namespace palate {
namespace {

// Few people are judged on several hold-outs.
constexpr std::size_t enough_people = 1500;
constexpr std::size_t most_rounds = 2;
// Standard errors that a change must gain: of some twenty the best is looked at, and that one often
// gains one by chance.
constexpr double bar = 2;
constexpr double anyhow = -1e9;

std::string text_of(const Filter& filter) {
  return filter_name(filter) + ", s = " + short_number(filter.power);
}

void check(const Ratings& train, const ChooseOptions& options) {
  const bool powers_fine =
      !options.powers.empty() && std::all_of(options.powers.begin(), options.powers.end(),
                                             [](double s) { return s > 0 && s <= 20; });
  if (!powers_fine || options.at == 0 || !(options.validation > 0 && options.validation < 1)) {
    throw Error(
        ErrorCode::usage,
        "choosing filters needs powers above 0, a list length of at least 1 and a validation "
        "share between 0 and 1");
  }
  if (train.interactions() == 0) {
    throw Error(ErrorCode::bad_input, "there are no ratings to choose filters on");
  }
}

struct Candidate {
  std::string name;
  std::vector<Filter> filters = {};
  std::optional<double> preference = CaGf{}.preference;
  Worth worth = {};
  double value = 0;
};

constexpr std::string_view stage = "choose filters";

class Chooser {
 public:
  Chooser(const Ratings& all, const ChooseOptions& options, const RunOptions& run)
      : all_(all),
        options_(options),
        run_(run),
        // Whoever has enough is not in a hurry: what is being tried is finished. What works for a
        // trial has stages of its own; whoever waits is told how many were tried.
        progress_([this](std::string_view, std::uint64_t, std::uint64_t) {
          ended_ |= options_.enough && options_.enough();
          return !run_.progress || run_.progress(stage, std::min(done_, trials_), trials_);
        }),
        pool_(run.threads, progress_, stage),
        powers_(options.powers) {
    powers_.push_back(1.0);
    for (const std::string_view name : preset_names()) {
      if (!preset_suits(name, all.criteria())) continue;
      for (const auto& [criterion, filter] : preset_for(name, all.criteria()).filters) {
        powers_.push_back(filter.power);
      }
    }
    std::sort(powers_.begin(), powers_.end());
    powers_.erase(std::unique(powers_.begin(), powers_.end()), powers_.end());
    trials_ = 3 * powers_.size() * (width() + 2);
    choice_.measure = options.at == 1
                          ? "mean of recall and NDCG at 1"
                          : "mean of recall and NDCG at " + std::to_string((options.at + 1) / 2) +
                                " and " + std::to_string(options.at);
  }

  Choice run() {
    hold_back();
    const Candidate plain{.name = "plain linear filters",
                          .filters = std::vector<Filter>(width(), linear())};
    Candidate best = plain;
    if (choice_.users >= enough_users) {
      judge(best);
      choice_.start = best.value;
      std::vector<Candidate> others = published(false);
      if (pick(published(true), anyhow, best)) others.push_back(plain);
      pick(std::move(others), bar, best);
      pick(alike(), bar, best);
      for (std::size_t round = 0; round < most_rounds; ++round) {
        if (!improve(best)) break;
      }
    }
    choice_.end = best.value;
    CaGf settings{.preference = best.preference};
    for (std::size_t c = 0; c < width(); ++c) {
      settings.filters.push_back({all_.criteria()[c].name, best.filters[c]});
    }
    choice_.method = settings;
    return std::move(choice_);
  }

 private:
  [[nodiscard]] std::size_t width() const { return all_.criteria().size(); }

  void hold_back() {
    for (std::size_t g = 0; g < ValidationScores::groups && choice_.users < enough_people; ++g) {
      hold_outs_.emplace_back(all_, options_, g, powers_, pool_, progress_, run_.memory);
      choice_.users += hold_outs_.back().people();
    }
  }

  void judge(Candidate& candidate) {
    candidate.worth.clear();
    for (const ValidationScores& hold_out : hold_outs_) {
      const Worth part = hold_out.worth(candidate.filters, candidate.preference);
      candidate.worth.insert(candidate.worth.end(), part.begin(), part.end());
    }
    candidate.value = mean(candidate.worth);
    ++done_;
    if (!progress_(stage, std::min(done_, trials_), trials_)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }

  [[nodiscard]] bool going_on() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun_;
    return !ended_ && (options_.seconds <= 0 || spent.count() < options_.seconds);
  }

  // Takes the best of the candidates, if it gains more than so many standard errors.
  bool pick(std::vector<Candidate> candidates, double errors, Candidate& best) {
    Candidate* highest = nullptr;
    std::size_t at = 0;  // its step
    for (Candidate& one : candidates) {
      if (!going_on()) break;
      judge(one);
      if (highest == nullptr || one.value > highest->value) {
        highest = &one;
        at = choice_.steps.size();
      }
      const Gain by = gain(best.worth, one.worth);
      choice_.steps.push_back({one.name, one.value, by.mean, by.error, false});
    }
    if (highest == nullptr || choice_.steps[at].gain <= errors * choice_.steps[at].error) {
      return false;
    }
    choice_.steps[at].taken = true;
    best = std::move(*highest);
    return true;
  }

  [[nodiscard]] std::vector<Filter> filters_of(double power) const {
    return {linear(power), inward(power), outward(power)};
  }

  [[nodiscard]] double nearest(double power) const {
    return *std::min_element(powers_.begin(), powers_.end(), [&](double a, double b) {
      return std::abs(std::log(a / power)) < std::abs(std::log(b / power));
    });
  }

  // What was published for as many criteria as there are, or for others.
  [[nodiscard]] std::vector<Candidate> published(bool suits) const {
    std::vector<Candidate> out;
    for (const std::string_view name : preset_names()) {
      if (preset_suits(name, all_.criteria()) != suits) continue;
      const CaGf settings = preset_for(name, all_.criteria());
      Candidate one{.name = "as published for " + std::string(name),
                    .preference = settings.preference};
      for (const auto& [criterion, filter] : settings.filters) {
        one.filters.push_back({filter.coefficients, nearest(filter.power)});
      }
      out.push_back(std::move(one));
    }
    return out;
  }

  // One filter for all criteria.
  [[nodiscard]] std::vector<Candidate> alike() const {
    std::vector<Candidate> out;
    for (const double power : powers_) {
      for (const Filter& filter : filters_of(power)) {
        out.push_back({.name = "all criteria: " + text_of(filter),
                       .filters = std::vector<Filter>(width(), filter)});
      }
    }
    return out;
  }

  // Another filter for some of the criteria, together.
  Candidate changed(const Candidate& best, const std::string& of, const Filter& to,
                    const std::function<bool(std::size_t)>& here) const {
    Candidate out{
        .name = of + ": " + text_of(to), .filters = best.filters, .preference = best.preference};
    for (std::size_t c = 0; c < width(); ++c) {
      if (here(c)) out.filters[c] = to;
    }
    return out;
  }

  // Another power for criteria that share a filter.
  bool improve_shared(const Filter& shared, Candidate& best) {
    std::vector<Candidate> some;
    for (const double power : powers_) {
      if (power == shared.power) continue;
      some.push_back(changed(best, "all " + text_of(shared), {shared.coefficients, power},
                             [&](std::size_t c) { return best.filters[c] == shared; }));
    }
    return pick(std::move(some), bar, best);
  }

  bool improve_criterion(std::size_t criterion, Candidate& best) {
    std::vector<Candidate> some;
    for (const double power : powers_) {
      for (const Filter& filter : filters_of(power)) {
        if (filter == best.filters[criterion]) continue;
        some.push_back(changed(best, all_.criteria()[criterion].name, filter,
                               [&](std::size_t c) { return c == criterion; }));
      }
    }
    return pick(std::move(some), bar, best);
  }

  bool improve_preference(Candidate& best) {
    std::vector<Candidate> some;
    for (const std::optional<double>& power : ValidationScores::preferences) {
      if (power == best.preference) continue;
      some.push_back(
          {.name = "criteria preference: " + (power ? "s_T = " + short_number(*power) : "off"),
           .filters = best.filters,
           .preference = power});
    }
    return pick(std::move(some), bar, best);
  }

  bool improve(Candidate& best) {
    bool any = false;
    std::vector<Filter> shared;
    for (const Filter& filter : best.filters) {
      if (std::find(shared.begin(), shared.end(), filter) == shared.end()) shared.push_back(filter);
    }
    for (const Filter& filter : shared) any |= improve_shared(filter, best);
    for (std::size_t c = 0; c < width(); ++c) any |= improve_criterion(c, best);
    any |= improve_preference(best);
    return any;
  }

  const Ratings& all_;
  const ChooseOptions& options_;
  const RunOptions& run_;
  bool ended_ = false;  // someone has enough
  Progress progress_;
  ThreadPool pool_;
  std::vector<double> powers_;
  std::vector<ValidationScores> hold_outs_;
  Choice choice_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::size_t done_ = 0;
  std::size_t trials_ = 0;
};

}  // namespace

Choice choose_filters(const Ratings& train, const ChooseOptions& options, const RunOptions& run) {
  check(train, options);
  return Chooser(train, options, run).run();
}

}  // namespace palate
