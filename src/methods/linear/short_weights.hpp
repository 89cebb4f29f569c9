// Weights between all items in 16 bits instead of 32.
//
//   w_ji is kept as n_ji f_i: n_ji the nearest whole number, f_i = max(max_j |w_ji|, 2^-100) /
//   32767
//
//   |n_ji f_i - w_ji| <= (1/2 + 2^-7) f_i
//
// Half a unit is the rounding of n; what is computed of w / f before, in floats, is off by less
// than 2^-23 of at most 32767, and n f by less than 2^-24. So a score is off by at most
// 0.508 f_i sum_j |x_j|, 1.6e-5 of what the largest weight of the item would give, before its own
// rounding. Half precision with a power of two per column was the other way tried: it is closer for
// small weights, but scores at the top are made of large ones (docs/adaptive.md).
#pragma once

#include <cstdint>

#include "base/huge_buffer.hpp"
#include "base/thread_pool.hpp"
#include "core/array.hpp"

namespace palate {

struct ShortWeights {
  Array<std::int16_t> numbers;  ///< n_ji at [j * items + i]
  Array<float> factors;         ///< f_i
};

/// Takes the matrix over and gives its memory back on the way: what was converted is gone.
[[nodiscard]] ShortWeights to_short_weights(const HugeBuffer<float>& weights, std::size_t items,
                                            ThreadPool& pool);

}  // namespace palate
