// Rows and shifts of one graph, all of them, from the ratings of a state.
#pragma once

#include "base/thread_pool.hpp"
#include "live/row_memory.hpp"
#include "live/state.hpp"

namespace palate::live {

[[nodiscard]] Graph build_graph(const State& state, CriterionSet criteria, RowMemory& memory,
                                ThreadPool& pool);

/// -log2(d_i) / 2 with d_i the sum of an item's ratings on some criteria; 0 if that is 0.
[[nodiscard]] float shift_of(const State& state, CriterionSet criteria, std::uint32_t item);

}  // namespace palate::live
