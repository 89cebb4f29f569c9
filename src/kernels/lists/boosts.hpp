// What dials do to the order of all items.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/kernel.hpp"

namespace palate::kernels {

/// out[i] = exp(sum over d of steps[d] * z[d][i]), the exponent kept within -40 and 40.
extern Kernel<void(std::span<const float* const> z, std::span<const float> steps,
                   std::span<float> out)>
    exp_of_sums;

/// scores[i] becomes scores[i] * boost[i], or scores[i] / boost[i] where it is negative.
extern Kernel<void(std::span<float> scores, std::span<const float> boost)> boost_scores;

}  // namespace palate::kernels
