// How CA-GF computes: the graphs of a plan in one form or another, and scores by them. The forms
// differ in speed and memory, not in what they mean.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "core/recommender.hpp"
#include "graph/filter_plan.hpp"
#include "graph/subspace.hpp"

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

/// What graphs take: their links, and bytes.
struct GraphSize {
  std::size_t entries = 0, bytes = 0;
};

class GraphScorer {
 public:
  using Queries = std::span<const Query>;
  using Signals = std::span<const Signal>;
  using Lists = std::span<std::vector<ScoredItem>>;
  using Items = std::span<const std::uint32_t>;
  using Column = std::vector<double>;

  GraphScorer() = default;
  virtual ~GraphScorer() = default;
  GraphScorer(const GraphScorer&) = delete;
  GraphScorer& operator=(const GraphScorer&) = delete;

  [[nodiscard]] virtual std::size_t items() const noexcept = 0;
  /// As Recommender::recommend.
  virtual void recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const = 0;
  /// scores[n * items() + i]: the score of item i for the n-th signal.
  virtual void score(Signals signals, std::span<float> scores) const = 0;
  /// The same at some items: scores[n * items.size() + k] is that of items[k].
  virtual void score_at(Signals signals, Items at, std::span<float> scores) const {
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
  [[nodiscard]] virtual Column filter_column(const Branch& branch, std::uint32_t item,
                                             Items at) const = 0;
  /// sums[j] += P_ij for all links of an item in one of the plan's graphs.
  virtual void add_similarities(std::size_t graph, std::uint32_t item,
                                std::span<double> sums) const = 0;
  /// Names begin with "method/".
  virtual void save(Parts& parts) const = 0;
  [[nodiscard]] virtual GraphSize size() const noexcept = 0;
  [[nodiscard]] std::size_t entries() const noexcept { return size().entries; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size().bytes; }
};

/// Scores on fitted graphs, whatever their form.
template <class Graphs>
class FittedScorer : public GraphScorer {
 public:
  [[nodiscard]] std::size_t items() const noexcept final { return graphs_.items(); }
  void add_similarities(std::size_t graph, std::uint32_t item, std::span<double> sums) const final {
    graphs_.add_similarities(graph, item, sums);
  }
  void save(Parts& parts) const final { graphs_.save(parts); }
  [[nodiscard]] GraphSize size() const noexcept final { return graphs_.size(); }
  [[nodiscard]] const Graphs& graphs() const noexcept { return graphs_; }

 protected:
  FittedScorer() = default;
  explicit FittedScorer(Graphs graphs) : graphs_(std::move(graphs)) {}

  Graphs graphs_;
};

/// Column i of a filter at some places: the sum over k of a_k (P_f^k)_ji. `power` is row i of P_f,
/// which by symmetry is its column; row_times(j, y) is row j of P_f times y.
template <class T, class RowTimes>
[[nodiscard]] GraphScorer::Column filter_column_at(std::span<const double> a, std::vector<T> power,
                                                   std::size_t items, GraphScorer::Items places,
                                                   const RowTimes& row_times) {
  GraphScorer::Column column;
  for (const std::uint32_t j : places) column.push_back(a[0] * static_cast<double>(power[j]));
  for (std::size_t k = 1; k < a.size(); ++k) {
    if (k + 1 == a.size()) {  // the last power is needed at these places alone
      for (std::size_t n = 0; n < places.size(); ++n) {
        column[n] += a[k] * row_times(places[n], power);
      }
      break;
    }
    std::vector<T> next(power.size());
    for (std::uint32_t j = 0; j < items; ++j) next[j] = static_cast<T>(row_times(j, power));
    power.swap(next);
    for (std::size_t n = 0; n < places.size(); ++n) {
      column[n] += a[k] * static_cast<double>(power[places[n]]);
    }
  }
  return column;
}

/// The same by directions of the graph: column[n] += a W_j W_i for the n-th place j.
inline void add_estimated_column(double a, const Subspace& space, std::size_t i,
                                 GraphScorer::Items places, GraphScorer::Column& column) {
  const float* const w = space.coordinates.data() + i * space.rank;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const float* const v = space.coordinates.data() + places[n] * space.rank;
    for (std::size_t r = 0; r < space.rank; ++r) {
      column[n] += a * static_cast<double>(v[r]) * static_cast<double>(w[r]);
    }
  }
}

}  // namespace palate
