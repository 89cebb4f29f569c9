#include "methods/linear/linear_recommender.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ranking/select.hpp"

namespace palate {

float LinearSignal::of(const UserRatings& ratings, std::size_t k, std::size_t criterion,
                       std::size_t width) const noexcept {
  const CriterionSet given = ratings.present[k] & criteria;
  if ((given >> criterion & 1U) == 0) return 0;
  float x = 1;
  if (power != 0) {
    x = ratings.values[k * width + criterion];
    if (!scale.empty()) x /= scale[criterion];
    if (power != 1) x = std::pow(x, power);
  }
  return mean ? x / static_cast<float>(std::popcount(given)) : x;
}

std::unique_ptr<LinearRecommender> LinearRecommender::load(const Parts& parts, LinearSignal signal,
                                                           const Ratings& train,
                                                           std::optional<Precision> asked) {
  return std::make_unique<LinearRecommender>(ItemWeights::load(parts, train.items(), asked),
                                             std::move(signal), train.criteria().size());
}

namespace {

// What a person's ratings come to, for as long as their query is answered.
struct Signals {
  std::vector<std::uint32_t> rated, hidden;
  std::vector<float> x;
};

}  // namespace

float LinearRecommender::x(const Query& query, std::size_t k) const noexcept {
  float sum = 0;
  for (CriterionSet rest = signal_.criteria; rest != 0; rest &= rest - 1) {
    sum += x(query, k, static_cast<std::size_t>(std::countr_zero(rest)));
  }
  return sum;
}

void LinearRecommender::recommend(std::span<const Query> queries,
                                  std::span<std::vector<ScoredItem>> lists,
                                  ThreadPool& pool) const {
  // So many, that taking the weights apart into panels pays.
  constexpr std::size_t many = 32;
  if (weights_.is_sparse() || queries.size() < many) {
    pool.for_chunks(queries.size(), queries.size() < many ? 1 : 16,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      const auto scores = scratch_.lend(items());
                      for (std::size_t k = begin; k < end; ++k) {
                        score(queries[k], *scores);
                        lists[k] = select_top(queries[k], *scores);
                      }
                    });
    return;
  }
  std::vector<Signals> signals(queries.size());
  std::vector<Asking> askings(queries.size());
  pool.for_chunks(queries.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t n = begin; n < end; ++n) {
      const Query& query = queries[n];
      Signals& own = signals[n];
      for (std::size_t k = 0; k < query.ratings.size(); ++k) {
        const std::uint32_t item = query.ratings.items[k];
        if (query.exclude_seen && (query.ratings.present[k] & 1U) != 0) own.hidden.push_back(item);
        const float value = x(query, k);
        if (value == 0) continue;
        own.rated.push_back(item);
        own.x.push_back(value);
      }
      askings[n] = {own.rated, own.x, own.hidden, query.allowed, query.top, query.boost};
    }
  });
  dense_lists(weights_.all(), askings, lists, pool);
}

void LinearRecommender::score(const Query& query, std::span<float> scores) const {
  std::vector<std::uint32_t> rated;
  std::vector<float> values;
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    const float value = x(query, k);
    if (value == 0) continue;
    rated.push_back(query.ratings.items[k]);
    values.push_back(value);
  }
  weights_.sum_rows(rated, values, scores);
}

Attribution LinearRecommender::explain(const Query& query, std::uint32_t item) const {
  Attribution out;
  out.by_criterion.assign(criteria_, 0.0);
  out.preference.assign(criteria_, 0.0);
  for (CriterionSet rest = signal_.criteria; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<std::uint32_t>(std::countr_zero(rest));
    out.preference[c] =
        query.term_weights.empty() ? 1.0 : static_cast<double>(query.term_weights[c]);
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      const std::uint32_t j = query.ratings.items[k];
      const double value =
          static_cast<double>(x(query, k, c)) * static_cast<double>(weights_.at(j, item));
      if (value == 0) continue;
      out.parts.push_back({j, c, value});
      out.by_criterion[c] += value;
    }
  }
  for (const double part : out.by_criterion) out.score += part;
  return out;
}

void LinearRecommender::score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                                           std::span<float> parts) const {
  for (std::size_t n = 0; n < items.size(); ++n) {
    for (std::size_t c = 0; c < criteria_; ++c) {
      float sum = 0;
      for (std::size_t k = 0; k < query.ratings.size(); ++k) {
        const float value = x(query, k, c);
        if (value != 0) sum += value * weights_.at(query.ratings.items[k], items[n]);
      }
      parts[n * criteria_ + c] = sum;
    }
  }
}

std::vector<ScoredItem> LinearRecommender::similar(std::uint32_t item, std::size_t top) const {
  kernels::TopK best;
  best.reset(std::min(top, items()));
  for (const auto& [weight, other] : weights_.column(item)) {
    if (weight > 0 && other != item) best.offer(weight, other);
  }
  return to_list(best);
}

}  // namespace palate
