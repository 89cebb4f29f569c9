// What a person would rate an item, by what others gave it and by how generously they rate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

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
/// and r their mean, b_i = n (r - mean) / (n + item_prior); with R the ratings of a person, b_u =
/// sum over R of (rating - mean - b_i) / (|R| + user_prior). The prediction is mean + shift + b_i +
/// b_u, kept within the scale.
class Predictor {
 public:
  Predictor(std::span<const PredictionRule> rules, std::span<const Criterion> criteria,
            TotalOf total)
      : rules_(rules), criteria_(criteria), total_(std::move(total)) {
    none_ = std::none_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.holds(); });
  }

  /// b_u, one per criterion.
  [[nodiscard]] std::vector<double> offsets(const UserRatings& person) const;
  /// One value per criterion, NaN where the rule does not hold; empty if none does.
  [[nodiscard]] std::vector<double> predict(std::span<const double> offsets,
                                            std::uint32_t item) const;

 private:
  [[nodiscard]] double item_offset(std::uint32_t item, std::size_t criterion) const;

  std::span<const PredictionRule> rules_;
  std::span<const Criterion> criteria_;
  TotalOf total_;
  bool none_ = false;
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
[[nodiscard]] std::vector<PredictionRule> learn_rules(const Learning& from);
/// So many people are enough for that.
inline constexpr std::size_t people_for_rules = 20'000;

/// The errors of the rules on ratings that neither they nor the totals have seen: those of `test`,
/// of the people whose earlier ratings `train` gives. Only the criteria whose rule holds; the
/// others have no ratings.
[[nodiscard]] std::vector<PredictionRule> measure_rules(std::span<const PredictionRule> rules,
                                                        const Learning& train, const RowOf& test);

}  // namespace palate
