#include "methods/ease/ease.hpp"

#include "base/stage_clock.hpp"
#include "methods/describe.hpp"
#include "methods/linear/gram.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
namespace {

LinearSignal signal_of(const Ease& settings, const Ratings& train) {
  return {.criteria = settings.stacked ? first_criteria(train.criteria().size()) : 1U,
          .power = settings.input == Ease::Input::binary ? 0.0F : 1.0F};
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Ease& settings,
                                        const Ratings& train) {
  return LinearRecommender::load(parts, signal_of(settings, train), train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_ease(const Ratings& train, const Ease& settings,
                                            const FitResources& resources) {
  const auto items = static_cast<double>(train.items());
  MemoryBudget(resources.memory)
      .check(gram_bytes(train) + items * items * sizeof(float),
             "EASE^R keeps a weight for every pair of items: use fewer items, or another method");
  StageClock clock(resources.stages);
  const LinearSignal signal = signal_of(settings, train);
  std::vector<double> matrix = gram(train, signal, {}, resources);
  for (std::size_t i = 0; i < train.items(); ++i) matrix[i * train.items() + i] += settings.lambda;
  clock.done("graph");
  auto fitted = std::make_unique<LinearRecommender>(
      ItemWeights::dense(ridge_weights(std::move(matrix), train.items(), resources), train.items()),
      signal, train.criteria().size());
  clock.done("weights");
  return fitted;
}

MethodEntry ease_method() {
  return Describe<Ease>("ease", "EASE",
                        "EASE^R: weights between all items by ridge regression in closed form.")
      .setting(&Ease::lambda, {.name = "lambda",
                               .help = "Strength of the ridge: the larger, the less a rarely rated "
                                       "item counts.",
                               .least = 0,
                               .above_least = true})
      .setting(&Ease::input,
               {.name = "input",
                .help = "binary: what was rated counts 1. raw: ratings count as they are.",
                .choices = {"binary", "raw"}})
      .setting(&Ease::stacked, {.name = "stacked",
                                .help = "Learns from the ratings on every criterion, stacked, "
                                        "instead of from the overall ratings alone."})
      .can({.explain = true, .weigh_criteria = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_ease, load);
}

}  // namespace palate
