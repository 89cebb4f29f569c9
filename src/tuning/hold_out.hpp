// Ratings held back, and lists judged by them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "methods/adaptive/levels.hpp"
#include "methods/linear/dense_lists.hpp"
#include "methods/linear/linear_recommender.hpp"
#include "palate/ratings.hpp"

namespace palate {

struct HoldOutOptions {
  double share = 0.2;  ///< of everyone's ratings
  std::uint64_t seed = 1;
  double threshold = 3;    ///< relevant: overall at least this
  std::size_t items = 0;   ///< at most so many, those with the most ratings; 0: all
  std::size_t people = 0;  ///< at most so many are judged; 0: all
};

/// What the lists of one person are worth: the mean of recall and NDCG at 5 and at 10.
using Worth = std::vector<float>;

/// Part of the ratings to learn from, on the items with the most ratings, and people whose lists
/// are judged by what was held back of theirs.
class HoldOut {
 public:
  HoldOut(const Ratings& all, const HoldOutOptions& options);

  [[nodiscard]] const Levels& levels() const noexcept { return levels_; }
  [[nodiscard]] const std::vector<std::uint32_t>& raters() const noexcept { return raters_; }
  [[nodiscard]] std::size_t items() const noexcept { return levels_.items; }
  [[nodiscard]] std::size_t people() const noexcept { return people_.size(); }

  /// One value per person, for scores x W with x_j multiplied by sources_j; lists are of ten.
  [[nodiscard]] Worth judge(const DenseWeights& weights, const LinearSignal& signal,
                            std::span<const float> sources, ThreadPool& pool) const;
  /// The same list for everyone, less what they rated: the items with the most ratings.
  [[nodiscard]] Worth judge_popularity(ThreadPool& pool) const;

 private:
  struct Person {
    std::uint32_t user = 0;
    std::vector<std::uint32_t> places;    // of their ratings that count, in their row
    std::vector<std::uint32_t> rated;     // items by their place among those kept, ascending
    std::vector<std::uint32_t> relevant;  // ascending
  };
  [[nodiscard]] Worth judge_lists(std::span<const std::vector<ScoredItem>> lists) const;

  Ratings train_;
  Levels levels_;
  std::vector<std::uint32_t> raters_;
  std::vector<Person> people_;
};

}  // namespace palate
