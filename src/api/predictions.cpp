// What people would rate: rules learned once per model, and their errors.
#include "api/answers.hpp"
#include "base/thread_pool.hpp"
#include "palate/evaluation.hpp"

namespace palate {
namespace {

std::vector<PredictionError> errors_of(std::span<const PredictionRule> rules) {
  std::vector<PredictionError> out;
  for (std::size_t c = 0; c < rules.size(); ++c) {
    const PredictionRule& rule = rules[c];
    if (rule.ratings > 0) out.push_back({c, rule.mae, rule.trivial_mae, rule.ratings});
  }
  return out;
}

TotalOf totals_of(const RatingsView& ratings) {
  return [&ratings](std::uint32_t item, std::size_t c) { return ratings.total(item, c); };
}

}  // namespace

std::span<const PredictionRule> Advisor::Impl::predictions() const {
  std::call_once(made_predictions_, [&] {
    predictions_ = origin->predictions;
    if (!predictions_.empty()) return;
    const RowOf row = [&](std::uint32_t user) { return ratings->of(user); };
    const std::vector<std::uint32_t> people =
        spread(ratings->counts().users, people_for_rules,
               [&](std::uint32_t user) { return row(user).size() > 0; });
    ThreadPool pool;
    predictions_ = learn_rules(
        {people, row, ratings->item_indices(), ratings->criteria(), totals_of(*ratings)}, pool);
  });
  return predictions_;
}

Predictor Advisor::Impl::predictor() const {
  Predictor out(predictions(), ratings->criteria(), totals_of(*ratings));
  if (!lasts || !out.any()) return out;
  std::call_once(made_levels_, [&] { levels_ = out.levels(ratings->item_indices()); });
  return {predictions(), ratings->criteria(), totals_of(*ratings), levels_};
}

std::vector<PredictionError> Advisor::prediction_errors() const {
  std::vector<PredictionRule> rules;
  for (const PredictionRule& rule : impl_->predictions()) {
    rules.push_back(rule.holds() ? rule : PredictionRule{});
  }
  return errors_of(rules);
}

std::vector<PredictionError> measure_predictions(const Model& model, const Ratings& test) {
  const Model::Impl& asked = Inside::of(model);
  std::vector<std::uint32_t> people;
  for (std::uint32_t user = 0; user < test.users(); ++user) {
    if (test.of(user).size() > 0) people.push_back(user);
  }
  return errors_of(
      measure_rules(asked.predictions(),
                    {people, [&](std::uint32_t user) { return asked.train.of(user); },
                     asked.train.items(), asked.train.criteria(), totals_of(*asked.ratings)},
                    [&](std::uint32_t user) { return test.of(user); }));
}

}  // namespace palate
