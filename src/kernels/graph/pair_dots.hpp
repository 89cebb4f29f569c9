// The inner loop of building an item graph.
#pragma once

#include <cstdint>
#include <span>

namespace palate::kernels {

/// For each of a user's items j: sums[items[j]] += <left, rows[j]>, the dot of `left` with the j-th
/// row of `rows`, all of left.size() values.
void add_pair_dots(std::span<const float> left, std::span<const std::uint32_t> items,
                   const float* rows, double* sums) noexcept;

}  // namespace palate::kernels
