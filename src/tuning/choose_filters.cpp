// Greedy choice of filters from a validation part: one power for all criteria, then criterion by
// criterion the filter and power that raise NDCG most, then the power of the criteria preference.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "palate/error.hpp"
#include "palate/model.hpp"
#include "palate/split.hpp"
#include "tuning/validation_scores.hpp"

namespace palate {
namespace {

using Scores = ValidationScores::Scores;

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
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

class Chooser {
 public:
  Chooser(const Ratings& all, const ChooseOptions& options, const RunOptions& run)
      : options_(options),
        progress_(run.progress),
        pool_(run.threads, run.progress, "choose filters"),
        parts_(split(all, {.test = options.validation, .seed = options.seed})),
        scores_(parts_.train, parts_.test, options, pool_, run.progress, run.memory),
        filters_(all.criteria().size(), linear()),
        preference_(CriteriaPreference::fit(parts_.train, preference_power_)) {
    trials_ = options.powers.size() * (filters_.size() + 1) + filters_.size() + preferences.size();
  }

  Choice run() {
    if (scores_.people() > 0) {
      choose_common_power();
      for (std::size_t c = 0; c < filters_.size(); ++c) choose_filter(c);
      choose_preference();
    }
    choice_.end = best_;
    choice_.users = scores_.people();
    choice_.measure = "NDCG@" + std::to_string(options_.at);
    CaGf settings{.preference = preference_power_};
    const auto criteria = parts_.train.criteria();
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      settings.filters.push_back({criteria[c].name, filters_[c]});
    }
    choice_.method = settings;
    return std::move(choice_);
  }

 private:
  static constexpr std::array<std::optional<double>, 3> preferences = {std::nullopt, 1.0, 4.0};

  void tell() {
    ++done_;
    if (progress_ && !progress_("choose filters", std::min(done_, trials_), trials_)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  // A change must gain a little more than nothing, so that noise does not wander away from linear.
  bool better(std::string tried, double ndcg) {
    const bool taken = ndcg > best_ * 1.0005;
    choice_.steps.push_back({std::move(tried), ndcg, ndcg - best_, 0, taken});
    if (taken) best_ = ndcg;
    return taken;
  }

  [[nodiscard]] CriterionSet all() const { return first_criteria(filters_.size()); }

  void choose_common_power() {
    total_.clear();
    scores_.add_term(preference_, all(), linear(), total_);
    best_ = choice_.start = scores_.ndcg(total_, 0, {}, 0, {});
    for (const double power : options_.powers) {
      if (power == 1.0) continue;
      Scores trial;
      scores_.add_term(preference_, all(), linear(power), trial);
      if (better("all criteria: linear, s = " + number(power), scores_.ndcg(trial, 0, {}, 0, {}))) {
        std::fill(filters_.begin(), filters_.end(), linear(power));
        total_.swap(trial);
      }
      tell();
    }
  }

  void choose_filter(std::size_t c) {
    Scores& rest = total_;  // without the term of criterion c
    Filter negative = filters_[c];
    for (double& a : negative.coefficients) a = -a;
    scores_.add_term(preference_, CriterionSet{1} << c, negative, rest);
    tell();
    Scores first;
    Scores second;
    const std::string name = parts_.train.criteria()[c].name;
    for (const double power : options_.powers) {
      scores_.powers(preference_, c, power, first, second);
      for (const Filter& filter : {linear(power), inward(power), outward(power)}) {
        if (filter == filters_[c]) continue;
        const double a = filter.coefficients[0];
        const double b = filter.coefficients.size() > 1 ? filter.coefficients[1] : 0.0;
        const double ndcg =
            scores_.ndcg(rest, static_cast<float>(a), first, static_cast<float>(b), second);
        if (better(name + ": " + filter_name(filter) + ", s = " + number(power), ndcg)) {
          filters_[c] = filter;
        }
      }
      tell();
    }
    scores_.add_term(preference_, CriterionSet{1} << c, filters_[c], total_);
  }

  void choose_preference() {
    for (const std::optional<double> power : preferences) {
      const auto preference = CriteriaPreference::fit(parts_.train, power);
      Scores trial;
      for (std::size_t c = 0; c < filters_.size(); ++c) {
        scores_.add_term(preference, CriterionSet{1} << c, filters_[c], trial);
      }
      const std::string tried =
          power ? "criteria preference: s_T = " + number(*power) : "criteria preference: off";
      if (better(tried, scores_.ndcg(trial, 0, {}, 0, {}))) preference_power_ = power;
      tell();
    }
  }

  const ChooseOptions& options_;
  const Progress& progress_;
  ThreadPool pool_;
  Split parts_;
  ValidationScores scores_;
  std::vector<Filter> filters_;
  std::optional<double> preference_power_ = CaGf{}.preference;
  CriteriaPreference preference_;
  Scores total_;
  Choice choice_;
  double best_ = 0;
  std::size_t done_ = 0;
  std::size_t trials_ = 0;
};

}  // namespace

Choice choose_filters(const Ratings& train, const ChooseOptions& options, const RunOptions& run) {
  check(train, options);
  return Chooser(train, options, run).run();
}

}  // namespace palate
