// The formulas of adaptive.hpp, step by step.
#pragma once

#include <vector>

#include "base/huge_buffer.hpp"
#include "core/fit_resources.hpp"
#include "methods/adaptive/adaptive.hpp"
#include "methods/adaptive/levels.hpp"

namespace palate {

/// A matrix items x items, row after row.
using ItemMatrix = HugeBuffer<float>;

/// N on and right of the diagonal; what is left of it is not written. Sums are in double precision,
/// in order of people.
[[nodiscard]] ItemMatrix gram(const Levels& levels, double user_power, double level_power,
                              const FitResources& resources);

/// Turns N, of which only the half right of the diagonal is read, into K: row j, column i is K_ji.
void turn_into_kernel(const ItemMatrix& n, const std::vector<std::uint32_t>& raters,
                      const Adaptive& settings, const FitResources& resources);

/// count^-power per item, 0 for items without ratings.
[[nodiscard]] std::vector<float> item_factors(const std::vector<std::uint32_t>& raters,
                                              double power);

/// lambda mean(N_ii) (n_i / mean n)^t, from the diagonal of N.
[[nodiscard]] std::vector<double> ridge(const std::vector<double>& diagonal,
                                        const std::vector<std::uint32_t>& raters,
                                        const Adaptive& settings);

}  // namespace palate
