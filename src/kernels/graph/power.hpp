// Element-wise powers.
#pragma once

#include <span>

namespace palate::kernels {

/// out[k] = in[k]^exponent, 0 where in[k] is 0. Sizes are equal; `out` may be `in`.
void power(std::span<const float> in, double exponent, std::span<float> out) noexcept;

}  // namespace palate::kernels
