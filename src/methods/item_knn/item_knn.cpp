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

// Of each item, over all people: what is taken off its ratings, and their length after that.
struct Centred {
  double people = 0;
  std::vector<double> mean, length;
};

Centred centred(const Ratings& train, ItemKnn::Similarity similarity) {
  const Ratings::Data& data = train.data();
  const std::size_t width = train.criteria().size();
  const auto people = static_cast<double>(train.users());
  Centred out{people, std::vector(train.items(), 0.0), std::vector(train.items(), 0.0)};
  for (std::size_t k = 0; k < data.items.size(); ++k) {
    const auto rating = static_cast<double>(data.values[k * width]);
    out.length[data.items[k]] += rating * rating;
    if (similarity == ItemKnn::Similarity::pearson) out.mean[data.items[k]] += rating / people;
  }
  for (std::size_t i = 0; i < out.length.size(); ++i) {
    out.length[i] = std::sqrt(std::max(0.0, out.length[i] - people * out.mean[i] * out.mean[i]));
  }
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
  const Centred items = centred(train, settings.similarity);
  // S_ij = <r_i - m_i, r_j - m_j> / (|r_i - m_i| |r_j - m_j| + shrink), m = 0 for the cosine
  const ItemGraph similarities = build_pair_graph(
      train, 0,
      [&](std::size_t i, std::size_t j, double sum) {
        const double product = sum - items.people * items.mean[i] * items.mean[j];
        return product > 0 ? product / (items.length[i] * items.length[j] + settings.shrink) : 0.0;
      },
      resources.pool, resources.progress);
  const ItemGraph kept = nearest(similarities, settings.neighbours);
  auto fitted = std::make_unique<LinearRecommender>(ItemWeights::sparse(kept.pattern, kept.values),
                                                    LinearSignal{}, train.criteria().size());
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
      .setting(&ItemKnn::similarity,
               {.name = "similarity",
                .help = "cosine of the ratings, or Pearson's correlation over all people.",
                .choices = {"cosine", "pearson"}})
      .can({.explain = true, .serve_newcomers = true, .find_similar = true})
      .entry(fit_item_knn, load);
}

}  // namespace palate
