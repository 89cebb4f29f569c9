// The one small interface of all recommenders, and what only some of them can do. Evaluation,
// tuning and the API see these, never a method.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "core/criterion_set.hpp"
#include "core/parts.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// One question: someone's ratings and what they want. Views only; valid during the call.
struct Query {
  UserRatings ratings;
  /// Multiplier of the method's own term of each criterion; empty: all 1.
  std::span<const float> term_weights = {};
  std::size_t top = 10;
  bool exclude_seen = true;                    ///< leave out items rated overall
  std::span<const std::uint8_t> allowed = {};  ///< per item, 0: never recommend; empty: all allowed
  /// Who asks, as in the ratings that the recommender was fitted on; none for a newcomer.
  std::optional<std::uint32_t> user = {};
  /// Per item, above 0: lists go by boosted() scores. Empty: all 1.
  std::span<const float> boost = {};
};

/// A score with a boost: the higher the boost, the higher the result, whatever the sign. Never
/// falls as the score rises, so a bound on a score, boosted, bounds the boosted score.
[[nodiscard]] inline float boosted(float score, float boost) noexcept {
  return score < 0 ? score / boost : score * boost;
}
[[nodiscard]] inline float boost_of(const Query& query, std::uint32_t item) noexcept {
  return query.boost.empty() ? 1.0F : query.boost[item];
}
/// No score below it reaches `least` with this boost or a smaller one.
[[nodiscard]] inline float before_boost(float least, float boost) noexcept {
  constexpr float rounding = 4e-7F;  // of two operations in float
  const float raw = least < 0 ? least * boost : least / boost;
  return std::max(raw - rounding * std::abs(raw), std::numeric_limits<float>::lowest());
}

struct ScoredItem {
  std::uint32_t item = 0;
  float score = 0;

  friend bool operator==(const ScoredItem&, const ScoredItem&) = default;
};

class Recommender {
 public:
  Recommender() = default;
  virtual ~Recommender() = default;
  Recommender(const Recommender&) = delete;
  Recommender& operator=(const Recommender&) = delete;

  [[nodiscard]] virtual std::size_t items() const noexcept = 0;
  [[nodiscard]] virtual std::size_t criteria() const noexcept = 0;
  /// The criteria whose ratings count.
  [[nodiscard]] virtual CriterionSet signals() const noexcept = 0;
  /// Whether Query::term_weights mean anything; if not, giving them is an error of the caller.
  [[nodiscard]] virtual bool weighs_criteria() const noexcept = 0;

  /// lists[k] becomes the best min(top, eligible) items of queries[k], best first, ties by the
  /// lower index. Neither other queries nor the number of threads change a list.
  virtual void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                         ThreadPool& pool) const = 0;

  /// The score of every item, whether eligible or not, without boosts; finite. scores.size() ==
  /// items().
  virtual void score(const Query& query, std::span<float> scores) const = 0;

  /// Adds what this recommender holds to `parts`, names beginning with "method/". The ratings are
  /// not part of it.
  virtual void save(Parts& parts) const = 0;

  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
};

/// score = baseline + sum of `parts` = baseline + sum of `by_criterion`.
struct Attribution {
  struct Part {
    std::uint32_t item = 0;  ///< a rated one
    std::uint32_t criterion = 0;
    double value = 0;
  };
  double score = 0;
  double baseline = 0;
  std::vector<double> by_criterion;
  std::vector<double> preference;  ///< per criterion, weights included
  std::vector<Part> parts;         ///< those that are not 0
};

/// A recommender that says what its scores are made of.
class Explains {
 public:
  virtual ~Explains() = default;

  [[nodiscard]] virtual Attribution explain(const Query& query, std::uint32_t item) const = 0;
  /// The scores of some items taken apart: parts[k * criteria() + c] is what criterion c adds to
  /// items[k], what no rating of the user explains counting as overall.
  virtual void score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                                  std::span<float> parts) const = 0;
};

/// A recommender that knows which items are alike.
class FindsSimilar {
 public:
  virtual ~FindsSimilar() = default;

  /// The items most alike, best first, without `item` itself and without those of similarity 0.
  [[nodiscard]] virtual std::vector<ScoredItem> similar(std::uint32_t item,
                                                        std::size_t top) const = 0;
};

}  // namespace palate
