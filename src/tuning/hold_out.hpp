// Ratings held back, and lists judged by them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/fit_resources.hpp"
#include "methods/adaptive/levels.hpp"
#include "methods/linear/dense_lists.hpp"
#include "methods/linear/linear_recommender.hpp"
#include "palate/method.hpp"
#include "palate/ratings.hpp"

namespace palate {

struct HoldOutOptions {
  double share = 0.2;  ///< of everyone's ratings
  std::uint64_t seed = 1;
  std::optional<double> threshold = {};  ///< relevant: overall at least this; none: as usual
  std::size_t items = 0;                 ///< at most so many, those with the most ratings; 0: all
  std::size_t people = 0;                ///< at most so many are judged; 0: all
  /// Learned from at most so many pairs of ratings of one person; 0: all. People are left out by
  /// chance.
  double pairs = 0;
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

  using MakeLists = std::function<void(std::span<const Asking> askings,
                                       std::span<std::vector<ScoredItem>> lists)>;
  /// One value per person, for lists of ten from signals x_j multiplied by sources_j.
  [[nodiscard]] Worth judge(const LinearSignal& signal, std::span<const float> sources,
                            ThreadPool& pool, const MakeLists& make) const;
  /// The same for a method fitted on the ratings that are left. All items have to be there.
  [[nodiscard]] Worth judge(const Method& method, const FitResources& resources) const;

 private:
  struct Person {
    std::uint32_t user = 0;
    std::vector<std::uint32_t> places;    // of their ratings that count, in their row
    std::vector<std::uint32_t> rated;     // items by their place among those kept, ascending
    std::vector<std::uint32_t> relevant;  // ascending
  };
  void learn_from(double pairs, std::uint64_t seed);
  [[nodiscard]] Worth judge_lists(std::span<const std::vector<ScoredItem>> lists) const;

  Ratings train_;
  Levels levels_;
  std::vector<std::uint32_t> raters_;
  std::vector<Person> people_;
};

}  // namespace palate
