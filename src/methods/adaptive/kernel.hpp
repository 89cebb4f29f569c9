// The formulas of adaptive.hpp, step by step.
#pragma once

#include <algorithm>
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

/// Each pair right of the diagonal becomes value(both, its column), and the one left of it
/// value(both, the other's), by squares that fit the cache.
template <class Value>
void mirror(const ItemMatrix& matrix, std::size_t items, ThreadPool& pool, const Value& value) {
  constexpr std::size_t rows_at_once = 64;
  pool.for_chunks(items, rows_at_once, [&](std::size_t top, std::size_t bottom, unsigned) {
    for (std::size_t left = top; left < items; left += rows_at_once) {
      const std::size_t right = std::min(left + rows_at_once, items);
      for (std::size_t j = top; j < bottom; ++j) {
        for (std::size_t i = std::max(left, j + 1); i < right; ++i) {
          const float both = matrix[j * items + i];
          matrix[j * items + i] = value(both, i);
          matrix[i * items + j] = value(both, j);
        }
      }
    }
  });
}

/// count^-power per item, 0 for items without ratings.
[[nodiscard]] std::vector<float> item_factors(const std::vector<std::uint32_t>& raters,
                                              double power);

/// lambda mean(N_ii) (n_i / mean n)^t, from the diagonal of N.
[[nodiscard]] std::vector<double> ridge(const std::vector<double>& diagonal,
                                        const std::vector<std::uint32_t>& raters,
                                        const Adaptive& settings);

}  // namespace palate
