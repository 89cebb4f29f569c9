// Element-wise powers.
#pragma once

#include <span>

#include "kernels/kernel.hpp"

namespace palate::kernels {

/// out[k] = in[k]^exponent, 0 where in[k] is 0. Sizes are equal; `out` may be `in`.
extern Kernel<void(std::span<const float> in, double exponent, std::span<float> out)> power;

}  // namespace palate::kernels
