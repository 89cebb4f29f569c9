// X^T W X of the signals that people's ratings are, and ridge regression by it.
#pragma once

#include <span>
#include <vector>

#include "core/fit_resources.hpp"
#include "methods/linear/linear_recommender.hpp"

namespace palate {

/// The lower triangle of X^T W X, column after column: (i, j), i >= j, at [j * items + i]. X has a
/// row per person and criterion of the signal, W a weight per person (empty: 1). Each column is
/// summed by one worker in order of people.
[[nodiscard]] std::vector<double> gram(const Ratings& train, const LinearSignal& signal,
                                       std::span<const double> people,
                                       const FitResources& resources);
/// What gram() takes in memory, in bytes, beside the ratings.
[[nodiscard]] double gram_bytes(const Ratings& train);

/// B_ji = -Q_ji / Q_ii, B_ii = 0, with Q the inverse of `gram`, which is used up. B_ji stands at
/// [j * items + i].
[[nodiscard]] std::vector<float> ridge_weights(std::vector<double> gram, std::size_t items,
                                               const FitResources& resources);

/// Sums of a signal by person and by item.
struct SignalSums {
  std::vector<double> users, items;
};
[[nodiscard]] SignalSums signal_sums(const Ratings& train, const LinearSignal& signal);

}  // namespace palate
