#include "kernels/power.hpp"

#include <cmath>
#include <cstddef>

namespace palate::kernels {

void power(std::span<const float> in, double exponent, std::span<float> out) noexcept {
  for (std::size_t k = 0; k < in.size(); ++k) {
    out[k] = in[k] > 0 ? static_cast<float>(std::pow(static_cast<double>(in[k]), exponent)) : 0.0F;
  }
}

}  // namespace palate::kernels
