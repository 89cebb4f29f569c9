// Lengths of vectors.
#pragma once

#include <span>

namespace palate::kernels {

/// sum_k y[k]^2 in double.
[[nodiscard]] double square_sum(std::span<const float> y) noexcept;

}  // namespace palate::kernels
