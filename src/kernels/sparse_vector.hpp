// Sparse rows against dense vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace palate::kernels {

/// sum_k values[k] * y[columns[k]], in double.
[[nodiscard]] double sparse_dot(std::span<const std::uint32_t> columns, const float* values,
                                const float* y) noexcept;

/// y[columns[k]] += x * values[k], fused; columns are distinct.
void scatter_add(std::span<const std::uint32_t> columns, const float* values, float x,
                 float* y) noexcept;

/// sum_k y[k]^2 in double.
[[nodiscard]] double square_sum(std::span<const float> y) noexcept;

}  // namespace palate::kernels
