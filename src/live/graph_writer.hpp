// Brings the links of a live model up to date with its ratings, for many people's changes at once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "live/bound_keeper.hpp"
#include "live/exact_sums.hpp"
#include "live/row_memory.hpp"
#include "live/state.hpp"

namespace palate::live {

/// Changes of ratings that the links do not count yet.
struct Waiting {
  std::map<std::uint32_t, User> before;              ///< users as the links count them
  std::vector<std::uint32_t> items;                  ///< whose totals have changed, once per rating
  std::chrono::steady_clock::time_point since = {};  ///< when the first of them came
};

/// One thread at a time; the links it gives out are anyone's.
class GraphWriter {
 public:
  /// `first` has ratings and totals, but no links yet.
  explicit GraphWriter(const State& first, const RunOptions& run = {});
  [[nodiscard]] const std::shared_ptr<const Links>& links() const noexcept { return links_; }

  /// Links that count the ratings of `seen`. `waiting`: what has changed since the links before.
  /// What is half done when an exception comes is thrown away, and all is made anew the next time.
  /// Throws Error{too_large} before anything is done if that would take too much memory, and
  /// Error{cancelled}.
  [[nodiscard]] std::shared_ptr<const Links> follow(const State& seen, const Waiting& waiting);

 private:
  void check_memory(const State& seen, const Waiting& waiting, double changed) const;
  void rebuild(const State& seen);
  void measure(Links& next);
  void follow_graph(Links& next, const State& seen, std::size_t g, const Waiting& waiting);
  void change_shifts(Links& next, const State& seen, std::size_t g,
                     const std::vector<std::uint32_t>& items);
  void change_row(Links& next, const State& seen, std::size_t g, std::uint32_t place);

  std::shared_ptr<const Base> base_;
  RunOptions run_;
  ThreadPool pool_;
  std::shared_ptr<RowMemory> memory_ = std::make_shared<RowMemory>();
  std::shared_ptr<const Links> links_;
  std::vector<ExactSums> sums_;                        // one per graph of the plan
  std::vector<std::unique_ptr<BoundKeeper>> keepers_;  // one per (graph, power), or none
  bool torn_ = false;  // following was left half done: sums and bounds are not those of links_

  std::uint64_t edition_ = 0;
  RowChange change_;
  std::vector<PairEdit> edits_;
};

}  // namespace palate::live
