#include "methods/popularity/popularity.hpp"

#include <algorithm>

#include "base/stage_clock.hpp"
#include "core/ratings_data.hpp"
#include "methods/describe.hpp"
#include "ranking/select.hpp"

namespace palate {

std::unique_ptr<PopularityRecommender> PopularityRecommender::fit(const Ratings& train) {
  std::vector<float> counts(train.items(), 0.0F);
  const Ratings::Data& data = train.data();
  for (std::size_t k = 0; k < data.items.size(); ++k) {
    if ((data.present[k] & 1U) != 0) counts[data.items[k]] += 1.0F;
  }
  return std::make_unique<PopularityRecommender>(std::move(counts), train.criteria().size());
}

namespace {

std::unique_ptr<const Recommender> fit(const Ratings& train, const Popularity& /*settings*/,
                                       const FitResources& resources) {
  StageClock clock(resources.stages);
  auto fitted = PopularityRecommender::fit(train);
  clock.done("count");
  return fitted;
}

std::unique_ptr<const Recommender> load(const Parts& parts, const Popularity& /*settings*/,
                                        const Ratings& train) {
  auto counts = parts.get<float>("method/counts");
  if (counts.size() != train.items()) {
    throw Error(ErrorCode::corrupt, "the item counts in the model file are damaged");
  }
  return std::make_unique<PopularityRecommender>(std::move(counts), train.criteria().size());
}

}  // namespace

void PopularityRecommender::recommend(std::span<const Query> queries,
                                      std::span<std::vector<ScoredItem>> lists,
                                      ThreadPool& pool) const {
  recommend_by_scores(*this, queries, lists, pool);
}

void PopularityRecommender::score(const Query& /*query*/, std::span<float> scores) const {
  std::copy(counts_.begin(), counts_.end(), scores.begin());
}

void PopularityRecommender::score_by_criterion(const Query& /*query*/,
                                               std::span<const std::uint32_t> items,
                                               std::span<float> parts) const {
  std::fill(parts.begin(), parts.end(), 0.0F);
  for (std::size_t k = 0; k < items.size(); ++k) parts[k * criteria_] = counts_[items[k]];
}

Attribution PopularityRecommender::explain(const Query& /*query*/, std::uint32_t item) const {
  const auto count = static_cast<double>(counts_[item]);
  return {.score = count,
          .baseline = count,
          .by_criterion = std::vector<double>(criteria_, 0.0),
          .preference = std::vector<double>(criteria_, 0.0),
          .parts = {}};
}

void PopularityRecommender::save(Parts& parts) const { parts.put("method/counts", counts_); }

MethodEntry popularity_method() {
  return Describe<Popularity>("popularity", "Popularity",
                              "Items by how many people rated them overall: the least that a "
                              "method has to beat.")
      .can({.explain = true, .serve_newcomers = true, .follow_live = true})
      .entry(fit, load);
}

}  // namespace palate
