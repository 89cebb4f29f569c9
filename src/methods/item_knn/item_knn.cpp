#include "methods/item_knn/item_knn.hpp"

#include <algorithm>
#include <cmath>

#include "base/stage_clock.hpp"
#include "core/ratings_data.hpp"
#include "methods/describe.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

// Row i keeps its k largest entries, itself not among them.
ItemGraph nearest(const ItemGraph& all, std::size_t k) {
  const std::size_t items = all.pattern.items();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  kernels::TopK top;
  for (std::size_t i = 0; i < items; ++i) {
    top.reset(std::min(k, items));
    const std::uint64_t from = all.pattern.offsets[i];
    const auto row = all.pattern.row(i);
    for (std::size_t n = 0; n < row.size(); ++n) {
      if (row[n] != i) top.offer(all.values[from + n], row[n]);
    }
    std::vector<ScoredItem> best = to_list(top);
    std::sort(best.begin(), best.end(),
              [](const ScoredItem& a, const ScoredItem& b) { return a.item < b.item; });
    for (const ScoredItem& b : best) {
      columns.push_back(b.item);
      values.push_back(b.score);
    }
    offsets.push_back(columns.size());
  }
  return {{std::move(offsets), std::move(columns)}, std::move(values)};
}

std::vector<double> norms(const Ratings& train) {
  const Ratings::Data& data = train.data();
  const std::size_t width = train.criteria().size();
  std::vector<double> out(train.items(), 0.0);
  for (std::size_t k = 0; k < data.items.size(); ++k) {
    const auto rating = static_cast<double>(data.values[k * width]);
    out[data.items[k]] += rating * rating;
  }
  for (double& one : out) one = std::sqrt(one);
  return out;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const ItemKnn& /*settings*/,
                                        const Ratings& train) {
  return LinearRecommender::load(parts, {}, train);
}

}  // namespace

std::unique_ptr<const Recommender> fit_item_knn(const Ratings& train, const ItemKnn& settings,
                                                const FitResources& resources) {
  StageClock clock(resources.stages);
  const std::vector<double> norm = norms(train);
  // S_ij = <r_i, r_j> / (|r_i| |r_j| + shrink)
  const ItemGraph similarities = build_pair_graph(
      train, 0,
      [&](std::size_t i, std::size_t j, double sum) {
        return sum / (norm[i] * norm[j] + settings.shrink);
      },
      resources.pool, resources.progress);
  ItemGraph kept = nearest(similarities, settings.neighbours);
  auto fitted = std::make_unique<LinearRecommender>(
      ItemWeights::sparse(std::move(kept.pattern), std::move(kept.values)), LinearSignal{},
      train.criteria().size());
  clock.done("graph");
  return fitted;
}

MethodEntry item_knn_method() {
  return Describe<ItemKnn>("item-knn", "ItemKNN",
                           "The items most like those that someone rated, by the overall ratings.")
      .setting(&ItemKnn::neighbours, {.name = "neighbours",
                                      .help = "Most similar items kept per item.",
                                      .least = 1,
                                      .option = true})
      .setting(&ItemKnn::shrink, {.name = "shrink",
                                  .help = "Added to the product of norms: damps similarities of "
                                          "rarely rated items.",
                                  .least = 0,
                                  .option = true})
      .can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_item_knn, load);
}

}  // namespace palate
