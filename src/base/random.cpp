#include "base/random.hpp"

#include <cmath>
#include <numbers>

namespace palate {

// Box-Muller, one of the two values: nothing to carry between calls.
double Random::normal() noexcept {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace palate
