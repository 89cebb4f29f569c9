// Brings the graphs of a state up to date with its ratings.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "live/bound_keeper.hpp"
#include "live/exact_sums.hpp"
#include "live/ledger.hpp"
#include "live/row_memory.hpp"
#include "live/state.hpp"

namespace palate::live {

class GraphWriter {
 public:
  /// From the ratings of a state. `rows`: makes its rows and shifts too; if not, they are already
  /// those of its ratings.
  GraphWriter(State& next, bool rows, ThreadPool& pool);

  /// Items that are new in a state.
  void grow(State& next);
  /// To be called after the ledger has taken the change.
  void user_changed(State& next, const Ledger& ledger, const UserRatings& before,
                    const UserRatings& after);
  /// Brings rows, shifts and bounds up to date. `items`: those whose totals have changed.
  void flush(State& next, const std::vector<std::uint32_t>& items);
  /// How many changed entries wait for flush().
  [[nodiscard]] std::size_t waiting() const noexcept;

 private:
  void change_rows(State& next, std::size_t graph);
  void change_shifts(State& next, std::size_t graph, const std::vector<std::uint32_t>& places);

  std::shared_ptr<RowMemory> memory_ = std::make_shared<RowMemory>();
  std::vector<ExactSums> sums_;                        // one per graph of the plan
  std::vector<std::unique_ptr<BoundKeeper>> keepers_;  // one per (graph, power), or none
  std::vector<std::vector<PairEdit>> edits_;           // per graph
};

/// -log2(d_i) / 2 with d_i the sum of an item's ratings on some criteria; 0 if that is 0.
[[nodiscard]] float shift_of(const State& state, CriterionSet criteria, std::uint32_t item);

}  // namespace palate::live
