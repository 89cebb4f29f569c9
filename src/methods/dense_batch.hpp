// The lists of many people on dense graphs, strip by strip of the graph: what is laid out once
// serves everybody while it is in cache.
//
// Most strips cannot matter to most people. Of each row j and each block of 16 items the largest
// entry is known, so that sum_j x_j max_j bounds the first order of the whole block; where bound,
// second order included, stays below the worst place of someone's list so far, the block is passed
// over.
#pragma once

#include "methods/dense_graphs.hpp"

namespace palate {

/// For plans without orders above two. Lists are those of DensePerson, to the bit.
void recommend_batch(const DenseGraphs& graphs, std::span<const Query> queries,
                     std::span<const Signal> signals, std::span<std::vector<ScoredItem>> lists,
                     ThreadPool& pool);

}  // namespace palate
