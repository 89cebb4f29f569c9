#include "methods/item_knn/item_knn.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

ItemGraph transpose(const GraphPattern& pattern, const Array<float>& values) {
  const std::size_t items = pattern.items();
  std::vector<std::uint64_t> offsets(items + 1, 0);
  for (const std::uint32_t j : pattern.columns) ++offsets[j + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<std::uint32_t> columns(values.size());
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < items; ++i) {
    for (std::uint64_t n = pattern.offsets[i]; n < pattern.offsets[i + 1]; ++n) {
      const std::uint64_t at = next[pattern.columns[n]]++;
      columns[at] = static_cast<std::uint32_t>(i);
      out[at] = values[n];
    }
  }
  return {{std::move(offsets), std::move(columns)}, std::move(out)};
}

}  // namespace

ItemKnnRecommender::ItemKnnRecommender(GraphPattern neighbours, Array<float> similarity,
                                       std::size_t criteria)
    : neighbours_(std::move(neighbours)), similarity_(std::move(similarity)), criteria_(criteria) {
  ItemGraph other = transpose(neighbours_, similarity_);
  sources_ = std::move(other.pattern);
  source_similarity_ = std::move(other.values);
}

std::unique_ptr<ItemKnnRecommender> ItemKnnRecommender::fit(const Ratings& train,
                                                            const ItemKnn& settings,
                                                            ThreadPool& pool,
                                                            const Progress& progress) {
  if (settings.neighbours == 0 || !(settings.shrink >= 0) || !std::isfinite(settings.shrink)) {
    throw Error(ErrorCode::usage,
                "item-knn needs at least one neighbour and a finite shrink of at least 0");
  }
  ItemGraph kept =
      nearest(build_cosine_graph(train, 0, settings.shrink, pool, progress), settings.neighbours);
  return std::unique_ptr<ItemKnnRecommender>(new ItemKnnRecommender(
      std::move(kept.pattern), std::move(kept.values), train.criteria().size()));
}

std::unique_ptr<ItemKnnRecommender> ItemKnnRecommender::load(const Parts& parts,
                                                             const Ratings& train) {
  GraphPattern pattern = GraphPattern::load(parts, "method/neighbours", train.items());
  auto values = parts.get<float>("method/similarity");
  if (values.size() != pattern.entries()) {
    throw Error(ErrorCode::corrupt, "the item similarities in the model file are damaged");
  }
  return std::unique_ptr<ItemKnnRecommender>(
      new ItemKnnRecommender(std::move(pattern), std::move(values), train.criteria().size()));
}

void ItemKnnRecommender::recommend(std::span<const Query> queries,
                                   std::span<std::vector<ScoredItem>> lists,
                                   ThreadPool& pool) const {
  recommend_by_scores(*this, queries, lists, pool);
}

void ItemKnnRecommender::score(const Query& query, std::span<float> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0F);
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    const float rating = query.ratings.values[k * criteria_];
    const std::uint32_t j = query.ratings.items[k];
    for (std::uint64_t n = sources_.offsets[j]; n < sources_.offsets[j + 1]; ++n) {
      scores[sources_.columns[n]] += rating * source_similarity_[n];
    }
  }
}

void ItemKnnRecommender::score_by_criterion(const Query& query, std::span<float> parts) const {
  std::vector<float> scores(items());
  score(query, scores);
  std::fill(parts.begin(), parts.end(), 0.0F);
  for (std::size_t i = 0; i < items(); ++i) parts[i * criteria_] = scores[i];
}

Attribution ItemKnnRecommender::explain(const Query& query, std::uint32_t item) const {
  Attribution out;
  out.by_criterion.assign(criteria_, 0.0);
  out.preference.assign(criteria_, 0.0);
  out.preference[0] = 1.0;
  const auto row = neighbours_.row(item);
  const std::uint64_t from = neighbours_.offsets[item];
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    const std::uint32_t j = query.ratings.items[k];
    const auto found = std::lower_bound(row.begin(), row.end(), j);
    if (found == row.end() || *found != j) continue;
    const double similarity =
        static_cast<double>(similarity_[from + static_cast<std::size_t>(found - row.begin())]);
    const double value = similarity * static_cast<double>(query.ratings.values[k * criteria_]);
    if (value != 0) out.parts.push_back({j, 0, value});
    out.score += value;
  }
  out.by_criterion[0] = out.score;
  return out;
}

std::vector<ScoredItem> ItemKnnRecommender::similar(std::uint32_t item, std::size_t top) const {
  kernels::TopK best;
  const auto row = neighbours_.row(item);
  best.reset(std::min(top, row.size()));
  for (std::size_t n = 0; n < row.size(); ++n) {
    best.offer(similarity_[neighbours_.offsets[item] + n], row[n]);
  }
  return to_list(best);
}

void ItemKnnRecommender::save(Parts& parts) const {
  neighbours_.save(parts, "method/neighbours");
  parts.put("method/similarity", similarity_);
}

std::size_t ItemKnnRecommender::bytes() const noexcept {
  return 2 * (similarity_.size() * (sizeof(float) + sizeof(std::uint32_t)) +
              neighbours_.offsets.size() * sizeof(std::uint64_t));
}

}  // namespace palate
