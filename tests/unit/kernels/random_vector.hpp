#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace palate::kernels {

inline std::vector<float> random_vector(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> out(n);
  for (float& x : out) x = static_cast<float>(random.normal());
  return out;
}

}  // namespace palate::kernels
