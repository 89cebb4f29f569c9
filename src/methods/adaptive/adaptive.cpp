#include "methods/adaptive/adaptive.hpp"

#include "base/stage_clock.hpp"
#include "methods/adaptive/kernel.hpp"
#include "methods/adaptive/wide_kernel.hpp"
#include "methods/describe.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
namespace {

// Of each item, where memory is short: a few hundred links and weights, as they are made.
constexpr double least_bytes = 10'000;

// F_ji = n_j^-alpha K_ji n_i^-beta
void scale(const ItemMatrix& kernel, const std::vector<float>& source,
           const std::vector<float>& target, ThreadPool& pool) {
  const std::size_t items = source.size();
  pool.for_chunks(items, 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      float* row = kernel.data() + j * items;
      for (std::size_t i = 0; i < items; ++i) row[i] *= source[j] * target[i];
    }
  });
}

// settings: auto, or as they are named and otherwise fixed. Who names none asks for auto.
class AdaptiveAsks final : public Asks {
 public:
  void check(Words) const override {}
  bool open(Words asks, const Method& given) const override {
    if (!asks.empty()) return asks.back().second == "auto";
    // Which precision is asked for says nothing about the model.
    return given == Method("adaptive", {{"precision", given.get("precision")}});
  }
  Method start(Words, std::span<const Criterion>) const override { return Method("adaptive"); }
  Method finish(Words, Method method, std::span<const Criterion>) const override { return method; }
};

std::unique_ptr<const Recommender> load(const Parts& parts, const Adaptive& settings,
                                        const Ratings& train) {
  return LinearRecommender::load(parts, signal_of(settings, train.criteria()), train,
                                 settings.precision);
}

}  // namespace

LinearSignal signal_of(const Adaptive& settings, std::span<const Criterion> criteria) {
  LinearSignal out{.power = static_cast<float>(settings.rating_power), .scale = {}, .mean = true};
  if (settings.signal == Adaptive::Signal::criteria) out.criteria = first_criteria(criteria.size());
  for (const Criterion& criterion : criteria) {
    out.scale.push_back(criterion.max > 0 ? criterion.max : 1);
  }
  return out;
}

namespace {

// All pairs: exactly, or through a core.
ItemMatrix all_weights(const Levels& levels, const std::vector<std::uint32_t>& raters,
                       const Adaptive& settings, double room, const FitResources& resources) {
  StageClock clock(resources.stages);
  const bool ridge = settings.weights == Adaptive::Weights::ridge;
  if (!ridge || all_inverted(levels.items, room)) {
    ItemMatrix weights = gram(levels, settings.user_power, settings.level_power, resources);
    clock.done("graph");
    turn_into_kernel(weights, raters, settings, resources);
    return weights;
  }
  const WideOptions options = wide_options(levels.items, room);
  const ItemGraph n =
      sparse_gram(levels, settings.user_power, settings.level_power, options.links, resources);
  clock.done("graph");
  return wide_ridge(n, raters, settings, options, resources);
}

// The largest weights of each item.
ItemWeights few_weights(const Levels& levels, const std::vector<std::uint32_t>& raters,
                        const Adaptive& settings, double room, const FitResources& resources) {
  StageClock clock(resources.stages);
  const WideOptions options = wide_options(levels.items, room);
  const ItemGraph n =
      sparse_gram(levels, settings.user_power, settings.level_power, options.links, resources);
  clock.done("graph");
  const ItemGraph kernel = wide_kernel(n, raters, settings, options, resources);
  const std::vector<float> source = item_factors(raters, settings.source_power);
  const std::vector<float> target = item_factors(raters, settings.target_power);
  std::vector<float> scaled(kernel.values.begin(), kernel.values.end());
  for (std::size_t i = 0; i < levels.items; ++i) {
    for (std::uint64_t k = kernel.pattern.offsets[i]; k < kernel.pattern.offsets[i + 1]; ++k) {
      scaled[k] *= source[kernel.pattern.columns[k]] * target[i];
    }
  }
  return ItemWeights::sparse(kernel.pattern, std::move(scaled));
}

ItemWeights weights_of(const Ratings& train, const Adaptive& settings, double room,
                       const FitResources& resources) {
  const Levels levels = levels_of(train);
  const std::vector<std::uint32_t> raters = levels.raters();
  if (!all_pairs(levels.items, room)) {
    return few_weights(levels, raters, settings, room, resources);
  }
  ItemMatrix weights = all_weights(levels, raters, settings, room, resources);
  scale(weights, item_factors(raters, settings.source_power),
        item_factors(raters, settings.target_power), resources.pool);
  return ItemWeights::from_dense(weights, levels.items, settings.precision, resources.pool);
}

}  // namespace

std::unique_ptr<const Recommender> fit_adaptive(const Ratings& train, const Adaptive& settings,
                                                const FitResources& resources) {
  const MemoryBudget budget(resources.memory);
  const double indexed = static_cast<double>(train.interactions()) * 40;
  const double room = budget.bytes() - indexed;
  budget.check(indexed + static_cast<double>(train.items()) * least_bytes,
               "use fewer items, or --method popularity");
  StageClock clock(resources.stages);
  ItemWeights weights = weights_of(train, settings, room, resources);
  clock.done("weights");
  return std::make_unique<LinearRecommender>(
      std::move(weights), signal_of(settings, train.criteria()), train.criteria().size());
}

MethodEntry adaptive_method() {
  return Describe<Adaptive>("adaptive", "Adaptive",
                            "Weights between items, by ridge regression or from the graph, whose "
                            "shape is found on the data.")
      .setting(&Adaptive::weights,
               {.name = "weights",
                .help = "ridge: each item explained by all others. graph: how often two items were "
                        "rated by the same people.",
                .choices = {"ridge", "graph"}})
      .setting(&Adaptive::user_power,
               {.name = "user_power",
                .help = "The larger, the less people with many ratings count (a).",
                .least = 0,
                .most = 2})
      .setting(&Adaptive::level_power,
               {.name = "level_power",
                .help = "The larger, the less low ratings link two items; 0: all count alike (g).",
                .least = 0,
                .most = 10})
      .setting(&Adaptive::link_power, {.name = "link_power",
                                       .help = "Power of each link: above 1 strong links gain (s).",
                                       .least = 0,
                                       .most = 10,
                                       .above_least = true})
      .setting(&Adaptive::lambda, {.name = "lambda",
                                   .help = "Strength of the ridge, as a multiple of the mean of "
                                           "the diagonal.",
                                   .least = 0,
                                   .above_least = true})
      .setting(&Adaptive::lambda_power,
               {.name = "lambda_power",
                .help = "How much stronger the ridge is for items with many ratings (t).",
                .least = -2,
                .most = 2})
      .setting(&Adaptive::source_power,
               {.name = "source_power",
                .help = "The larger, the less a rating of a popular item says (alpha).",
                .least = -2,
                .most = 2})
      .setting(&Adaptive::target_power,
               {.name = "target_power",
                .help = "The larger, the less popular items are recommended (beta).",
                .least = -2,
                .most = 2})
      .setting(&Adaptive::rating_power,
               {.name = "rating_power",
                .help = "How much more a high rating says than a low one; 0: the same (p).",
                .least = 0,
                .most = 10})
      .setting(&Adaptive::signal,
               {.name = "signal",
                .help = "criteria: the mean over what was rated by every criterion. overall: the "
                        "overall rating.",
                .choices = {"overall", "criteria"}})
      .setting(&Adaptive::precision,
               {.name = "precision",
                .help = "Bits of a weight where most pairs of items have one: 32, or 16, which "
                        "halve the memory and change hardly any list. auto: 32 up to 8192 items, "
                        "16 beyond.",
                .choices = {"auto", "32", "16"},
                .computing = true})
      .asks({{.name = "settings",
              .help = "auto: the settings are found on a validation part of the ratings, except "
                      "those that are named. fixed: those that are not named have their defaults. "
                      "auto is what is meant if none is named.",
              .default_value = "auto",
              .choices = {"auto", "fixed"}}},
            std::make_shared<AdaptiveAsks>())
      .can({.explain = true, .weigh_criteria = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_adaptive, load);
}

}  // namespace palate
