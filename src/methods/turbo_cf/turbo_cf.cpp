#include "methods/turbo_cf/turbo_cf.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/stage_clock.hpp"
#include "methods/describe.hpp"
#include "methods/linear/gram.hpp"
#include "methods/linear/square_product.hpp"
#include "methods/spectral/normalized_matrix.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
namespace {

LinearSignal signal_of(const TurboCf& settings) {
  return {.power = settings.input == TurboCf::Input::binary ? 0.0F : 1.0F};
}

// Pb, both triangles.
HugeBuffer<float> graph_of(const Ratings& train, const TurboCf& settings,
                           const FitResources& resources) {
  const std::size_t items = train.items();
  const LinearSignal signal = signal_of(settings);
  const SignalSums sums = signal_sums(train, signal);
  const std::vector<double> people = powers(sums.users, -2 * settings.user_power);
  const std::vector<double> scale = powers(sums.items, settings.user_power - 1);
  const std::vector<double> half = gram(train, signal, people, resources);
  HugeBuffer<float> out(items * items, Contents::any);
  resources.pool.for_chunks(items, 16, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < items; ++i) {
        const double both = half[std::min(i, j) * items + std::max(i, j)] * scale[i] * scale[j];
        out[j * items + i] =
            both > 0 ? static_cast<float>(std::pow(both, settings.link_power)) : 0.0F;
      }
    }
  });
  return out;
}

// sum_k c_k P^(k+1), by Horner's rule.
HugeBuffer<float> filtered(const HugeBuffer<float>& p, std::size_t items,
                           std::span<const float> coefficients, const FitResources& resources) {
  HugeBuffer<float> sum(items * items);
  for (std::size_t k = coefficients.size(); k-- > 0;) {
    if (k + 1 < coefficients.size()) sum = square_product(p.span(), sum.span(), items, resources);
    resources.pool.for_chunks(items, 64, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t n = begin * items; n < end * items; ++n) sum[n] += coefficients[k] * p[n];
    });
  }
  return sum;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const TurboCf& settings,
                                        const Ratings& train) {
  return LinearRecommender::load(parts, signal_of(settings), train, Precision::bits32);
}

}  // namespace

std::unique_ptr<const Recommender> fit_turbo_cf(const Ratings& train, const TurboCf& settings,
                                                const FitResources& resources) {
  const std::size_t items = train.items();
  MemoryBudget(resources.memory)
      .check(gram_bytes(train) + 3.0 * static_cast<double>(items * items) * sizeof(float),
             "Turbo-CF keeps a weight for every pair of items: use fewer items, or another method");
  StageClock clock(resources.stages);
  HugeBuffer<float> weights = graph_of(train, settings, resources);
  clock.done("graph");
  constexpr std::array second = {2.0F, -1.0F};
  constexpr std::array third = {0.71F, 0.1F, -0.01F};
  if (settings.filter == TurboCf::Order::second) {
    weights = filtered(weights, items, second, resources);
  } else if (settings.filter == TurboCf::Order::third) {
    weights = filtered(weights, items, third, resources);
  }
  auto fitted = std::make_unique<LinearRecommender>(
      ItemWeights::from_dense(weights, items, Precision::bits32, resources.pool),
      signal_of(settings), train.criteria().size());
  clock.done("weights");
  return fitted;
}

MethodEntry turbo_cf_method() {
  return Describe<TurboCf>("turbo-cf", "TurboCF",
                           "A polynomial graph filter over the overall ratings, with a power of "
                           "every link.")
      .setting(&TurboCf::filter, {.name = "filter",
                                  .help = "The polynomial: linear P, second 2P - P^2, third 0.71P "
                                          "+ 0.1P^2 - 0.01P^3.",
                                  .choices = {"linear", "second", "third"}})
      .setting(&TurboCf::user_power, {.name = "user_power",
                                      .help = "How much sums of people are taken off; those of "
                                              "items by the rest to 1 (alpha).",
                                      .least = 0,
                                      .most = 1})
      .setting(&TurboCf::link_power, {.name = "link_power",
                                      .help = "Power of each link: above 1 strong links gain (s).",
                                      .least = 0,
                                      .most = 10,
                                      .above_least = true})
      .setting(&TurboCf::input,
               {.name = "input",
                .help = "binary: what was rated counts 1. raw: ratings count as they are.",
                .choices = {"binary", "raw"}})
      .can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_turbo_cf, load);
}

}  // namespace palate
