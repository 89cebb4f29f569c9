// The product of two matrices items x items.
#pragma once

#include <span>

#include "base/huge_buffer.hpp"
#include "core/fit_resources.hpp"

namespace palate {

/// a b, row after row; the same to the bit with any number of threads.
[[nodiscard]] HugeBuffer<float> square_product(std::span<const float> a, std::span<const float> b,
                                               std::size_t order, const FitResources& resources);

}  // namespace palate
