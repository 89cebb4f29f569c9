#include "methods/ease/ease.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/stage_clock.hpp"
#include "core/ratings_data.hpp"
#include "methods/describe.hpp"
#include "methods/linear/spd_inverse.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
namespace {

LinearSignal signal_of(const Ease& settings, const Ratings& train) {
  return {.criteria = settings.stacked ? first_criteria(train.criteria().size()) : 1U,
          .power = settings.input == Ease::Input::binary ? 0.0F : 1.0F};
}

// Who rated an item, and where that stands among their ratings.
struct Rater {
  std::uint32_t user, place;
};
struct RatersByItem {
  std::vector<std::uint64_t> offsets;
  std::vector<Rater> raters;
};

RatersByItem index_by_item(const Ratings& train) {
  RatersByItem out;
  out.offsets.assign(train.items() + 1, 0);
  for (const std::uint32_t item : train.data().items) ++out.offsets[item + 1];
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  out.raters.resize(train.interactions());
  std::vector<std::uint64_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (std::uint32_t user = 0; user < train.users(); ++user) {
    const UserRatings row = train.of(user);
    for (std::uint32_t k = 0; k < row.size(); ++k) out.raters[next[row.items[k]]++] = {user, k};
  }
  return out;
}

// The lower triangle of G, column after column; each is summed by one worker in order of people.
std::vector<double> gram(const Ratings& train, const Ease& settings,
                         const FitResources& resources) {
  const std::size_t items = train.items();
  const std::size_t width = train.criteria().size();
  const LinearSignal signal = signal_of(settings, train);
  const RatersByItem index = index_by_item(train);
  std::vector<double> out(items * items, 0.0);
  const auto column = [&](std::size_t j) {
    double* sums = out.data() + j * items;
    for (std::uint64_t n = index.offsets[j]; n < index.offsets[j + 1]; ++n) {
      const UserRatings row = train.of(index.raters[n].user);
      for (std::size_t k = index.raters[n].place; k < row.size(); ++k) {
        for (CriterionSet rest = signal.criteria; rest != 0; rest &= rest - 1) {
          const auto c = static_cast<std::size_t>(std::countr_zero(rest));
          sums[row.items[k]] +=
              static_cast<double>(signal.of(row, index.raters[n].place, c, width)) *
              static_cast<double>(signal.of(row, k, c, width));
        }
      }
    }
    sums[j] += settings.lambda;
  };
  resources.pool.for_chunks(items, 16, "graph", resources.progress,
                            [&](std::size_t begin, std::size_t end, unsigned) {
                              for (std::size_t j = begin; j < end; ++j) column(j);
                            });
  return out;
}

// B_ji = -Q_ji / Q_ii from the lower triangle of Q, row j after row j - 1.
std::vector<float> weights(const std::vector<double>& q, std::size_t items, ThreadPool& pool) {
  std::vector<float> out(items * items);
  pool.for_chunks(items, 16, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < items; ++i) {
        const double both = q[std::min(i, j) * items + std::max(i, j)];
        out[j * items + i] = i == j ? 0.0F : static_cast<float>(-both / q[i * items + i]);
      }
    }
  });
  return out;
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
      .check(items * items * (sizeof(double) + sizeof(float)) +
                 static_cast<double>(train.interactions()) * sizeof(Rater),
             "EASE^R keeps a weight for every pair of items: use fewer items, or another method");
  StageClock clock(resources.stages);
  std::vector<double> matrix = gram(train, settings, resources);
  clock.done("graph");
  invert_spd(matrix, train.items(), resources);
  auto fitted = std::make_unique<LinearRecommender>(
      ItemWeights::dense(weights(matrix, train.items(), resources.pool), train.items()),
      signal_of(settings, train), train.criteria().size());
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
