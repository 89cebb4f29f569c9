#include "methods/edlae/edlae.hpp"

#include <cmath>

#include "base/stage_clock.hpp"
#include "methods/describe.hpp"
#include "methods/linear/gram.hpp"
#include "methods/spectral/normalized_matrix.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
namespace {

LinearSignal signal_of(const Edlae& settings) {
  return {.power = settings.input == Edlae::Input::binary ? 0.0F : 1.0F};
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Edlae& settings,
                                        const Ratings& train) {
  return LinearRecommender::load(parts, signal_of(settings), train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_edlae(const Ratings& train, const Edlae& settings,
                                             const FitResources& resources) {
  const std::size_t items = train.items();
  MemoryBudget(resources.memory)
      .check(gram_bytes(train) + static_cast<double>(items * items) * sizeof(float),
             "EDLAE keeps a weight for every pair of items: use fewer items, or another method");
  StageClock clock(resources.stages);
  const LinearSignal signal = signal_of(settings);
  const SignalSums counts = signal_sums(train, {.power = 0});
  const std::vector<double> people = powers(signal_sums(train, signal).users, -settings.user_power);
  std::vector<double> matrix = gram(train, signal, people, resources);
  const double missing = settings.dropout / (1 - settings.dropout);
  for (std::size_t i = 0; i < items; ++i) {
    matrix[i * items + i] += settings.lambda + counts.items[i] * missing;
  }
  clock.done("graph");
  std::vector<float> weights = ridge_weights(std::move(matrix), items, resources);
  const std::vector<double> source = powers(counts.items, settings.item_power);
  const std::vector<double> target = powers(counts.items, -settings.item_power);
  resources.pool.for_chunks(items, 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < items; ++i) {
        weights[j * items + i] *= static_cast<float>(source[j] * target[i]);
      }
    }
  });
  clock.done("weights");
  return std::make_unique<LinearRecommender>(ItemWeights::dense(std::move(weights), items), signal,
                                             train.criteria().size());
}

MethodEntry edlae_method() {
  return Describe<Edlae>("edlae", "EDLAE",
                         "Ridge regression that expects a share of the ratings to be missing.")
      .setting(&Edlae::lambda, {.name = "lambda",
                                .help = "Strength of the ridge, the same for all items.",
                                .least = 0,
                                .above_least = true})
      .setting(&Edlae::dropout, {.name = "dropout",
                                 .help = "Share of the input that is expected to be missing: a "
                                         "stronger ridge for popular items (p).",
                                 .least = 0,
                                 .most = 0.99})
      .setting(&Edlae::user_power,
               {.name = "user_power",
                .help = "The larger, the less people with many ratings count (b).",
                .least = 0,
                .most = 2})
      .setting(&Edlae::item_power,
               {.name = "item_power",
                .help = "The larger, the less popular items are recommended (a).",
                .least = -2,
                .most = 2})
      .setting(&Edlae::input,
               {.name = "input",
                .help = "binary: what was rated counts 1. raw: ratings count as they are.",
                .choices = {"binary", "raw"}})
      .can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_edlae, load);
}

}  // namespace palate
