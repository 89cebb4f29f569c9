// Most strips cannot matter to most people. Of each row j and each strip of 32 items the largest
// entry is known, so that sum_j X_j max_j bounds the first order of the whole strip; where that and
// a bound on the second stay below the worst place of someone's list so far, the strip is passed
// over.
#pragma once

#include "methods/dense_people.hpp"

namespace palate {

/// bounds[strip * people + p]: no score of an item of the strip that person p has not rated is
/// higher. `set`: which of the people's sets of codes `codes` is; it must be of all first orders.
[[nodiscard]] HugeBuffer<float> strip_bounds(const DenseGraphs& graphs, const DenseCodes& codes,
                                             std::size_t set, const DensePeople& people,
                                             ThreadPool& pool);

}  // namespace palate
