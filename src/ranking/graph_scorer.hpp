// How CA-GF computes: the graphs of a plan in one form or another, and scores by them. The forms
// differ in speed and memory, not in what they mean.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "core/recommender.hpp"
#include "graph/filter_plan.hpp"

namespace palate {

/// Someone's ratings with a factor per criterion: x_f = sum over the criteria c of a branch of
/// factor[c] r_{u,c}.
struct Signal {
  UserRatings ratings;
  std::array<float, max_criteria> factor{};

  /// x_f at the k-th rated item.
  [[nodiscard]] float at(std::size_t k, CriterionSet criteria, std::size_t width) const noexcept {
    const float* values = ratings.values.data() + k * width;
    float x = 0;
    for (; criteria != 0; criteria &= criteria - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(criteria));
      x += factor[c] * values[c];
    }
    return x;
  }
};

class GraphScorer {
 public:
  GraphScorer() = default;
  virtual ~GraphScorer() = default;
  GraphScorer(const GraphScorer&) = delete;
  GraphScorer& operator=(const GraphScorer&) = delete;

  [[nodiscard]] virtual std::size_t items() const noexcept = 0;
  /// As Recommender::recommend.
  virtual void recommend(std::span<const Query> queries, std::span<const Signal> signals,
                         std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const = 0;
  /// scores[n * items() + i]: the score of item i for the n-th signal.
  virtual void score(std::span<const Signal> signals, std::span<float> scores) const = 0;
  /// The same at some items: scores[n * items.size() + k] is that of items[k].
  virtual void score_at(std::span<const Signal> signals, std::span<const std::uint32_t> at,
                        std::span<float> scores) const {
    std::vector<float> all(signals.size() * items());
    score(signals, all);
    for (std::size_t n = 0; n < signals.size(); ++n) {
      for (std::size_t k = 0; k < at.size(); ++k) {
        scores[n * at.size() + k] = all[n * items() + at[k]];
      }
    }
  }
  /// f(P)[j, item] of a branch for each j in `at`: what a rating of j adds to the score of the
  /// item.
  [[nodiscard]] virtual std::vector<double> filter_column(
      const Branch& branch, std::uint32_t item, std::span<const std::uint32_t> at) const = 0;
  /// sums[j] += P_ij for all links of an item in one of the plan's graphs.
  virtual void add_similarities(std::size_t graph, std::uint32_t item,
                                std::span<double> sums) const = 0;
  /// Names begin with "method/".
  virtual void save(Parts& parts) const = 0;
  [[nodiscard]] virtual std::size_t entries() const noexcept = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

}  // namespace palate
