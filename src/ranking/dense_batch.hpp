// The lists of many people on dense graphs, strip by strip of the graph: what is laid out once
// serves everybody while it is in cache.
//
// The first look is in whole numbers (dense_codes.hpp), with bounds on what they leave open. Who
// may be in a list by these bounds is computed from floats, and, if the list is to be exact, with
// its second orders.
#pragma once

#include "ranking/dense_graphs.hpp"

namespace palate {

/// For plans without orders above two. Lists are those of DensePerson, to the bit.
void recommend_batch(const DenseGraphs& graphs, std::span<const Query> queries,
                     std::span<const Signal> signals, std::span<std::vector<ScoredItem>> lists,
                     ThreadPool& pool);

}  // namespace palate
