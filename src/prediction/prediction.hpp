// What a person would rate an item, by what others gave it and by how generously they rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "core/item_total.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// How ratings on one criterion are predicted, and how far that is off on ratings held back.
struct PredictionRule {
  double mean = 0;  ///< of all ratings
  /// The median of what mean and offsets leave: half of the ratings are above the prediction.
  double shift = 0;
  /// An offset is drawn towards 0 as if so many more ratings had been average.
  double item_prior = 0, user_prior = 0;
  double mae = 0;           ///< mean absolute error
  double trivial_mae = 0;   ///< of the best guess that needs no rule: Plain in learn.cpp
  std::size_t ratings = 0;  ///< that errors are measured on

  /// Whether predictions are worth showing: measured on enough ratings, and better than a plain
  /// guess.
  [[nodiscard]] bool holds() const noexcept { return ratings >= enough && mae < trivial_mae; }
  static constexpr std::size_t enough = 20;

  friend bool operator==(const PredictionRule&, const PredictionRule&) = default;
};

/// The rules of all criteria, over ratings that are added up elsewhere. With n ratings of item i
/// and r their mean, b_i = n (r - mean) / (n + item_prior), and mean + b_i is the level of the
/// item; with R the ratings of a person, b_u = sum over R of (rating - level) / (|R| + user_prior).
/// The prediction is level + b_u + shift, kept within the scale. All is NaN where a rule does not
/// hold.
class Predictor {
 public:
  /// `levels`: as levels() gives them; empty: worked out from the totals each time.
  Predictor(std::span<const PredictionRule> rules, std::span<const Criterion> criteria,
            TotalOf total, std::span<const float> levels = {});

  /// Whether any rule holds.
  [[nodiscard]] bool any() const noexcept { return any_; }
  /// Of all items, one per criterion side by side.
  [[nodiscard]] std::vector<float> levels(std::size_t items) const;
  /// b_u + shift, one per criterion.
  [[nodiscard]] std::vector<float> offsets(const UserRatings& person) const;
  /// One value per criterion.
  void predict(std::span<const float> offsets, std::uint32_t item, std::span<float> out) const;

 private:
  [[nodiscard]] float level(std::uint32_t item, std::size_t criterion) const {
    return levels_.empty() ? from_totals(item, criterion)
                           : levels_[item * rules_.size() + criterion];
  }
  [[nodiscard]] float from_totals(std::uint32_t item, std::size_t criterion) const;

  std::span<const PredictionRule> rules_;
  std::span<const Criterion> criteria_;
  TotalOf total_;
  std::span<const float> levels_;
  bool any_;
};

using RowOf = std::function<UserRatings(std::uint32_t person)>;

/// Ratings that rules are learned from: rows of some people, and totals over everybody.
struct Learning {
  std::span<const std::uint32_t> people;  ///< every fifth interaction of theirs is held back
  RowOf row;
  std::size_t items = 0;
  std::span<const Criterion> criteria;
  TotalOf total;
};
/// Priors and shift that err least on half of what is held back, with errors measured on the other
/// half.
[[nodiscard]] std::vector<PredictionRule> learn_rules(const Learning& from, ThreadPool& pool);
/// So many people are enough for that, and so many interactions: of more, some people are taken.
inline constexpr std::size_t people_for_rules = 20'000;
inline constexpr std::size_t ratings_for_rules = 100'000;

/// The errors of the rules on ratings that neither they nor the totals have seen: those of `test`,
/// of the people whose earlier ratings `train` gives. Only the criteria whose rule holds; the
/// others have no ratings.
[[nodiscard]] std::vector<PredictionRule> measure_rules(std::span<const PredictionRule> rules,
                                                        const Learning& train, const RowOf& test);

}  // namespace palate
