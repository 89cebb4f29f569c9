// Paired statistics over users. Pure functions of their numbers and a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace palate {

[[nodiscard]] double mean_of(std::span<const double> values);

/// Percentile interval of the mean from `resamples` bootstrap samples (with replacement). The same
/// seed and count draw the same positions, whatever the values.
[[nodiscard]] std::pair<double, double> bootstrap_interval(std::span<const double> values,
                                                           std::size_t resamples, double confidence,
                                                           std::uint64_t seed);

/// Two-sided p-value of Wilcoxon's signed-rank test that the differences are symmetric around 0.
/// Zeros are dropped; ties share their mean rank. Exact for at most 25 untied differences, else the
/// normal approximation with corrections for ties and continuity. Differences are compared to one
/// part in a million, since they come from rounded fractions. 1 if all are 0.
[[nodiscard]] double wilcoxon_p_value(std::span<const double> differences);

}  // namespace palate
