// From a plan to the scorer that computes it: graphs are built in the form that suits the data, and
// the solver is the quicker one where that changes nothing.
#pragma once

#include <functional>
#include <memory>

#include "base/stage_clock.hpp"
#include "core/fit_resources.hpp"
#include "ranking/computation.hpp"
#include "ranking/graph_scorer.hpp"

namespace palate {

struct PlanScorer {
  std::unique_ptr<const GraphScorer> scorer;
  Computation computation;  ///< how it computes, and why so

  void save(Parts& parts) const;
};

/// Chooses a form (choose_computation) while another thread does `meanwhile`, then builds. `clock`
/// notes the stage "graph"; what comes after it is still to be noted.
[[nodiscard]] PlanScorer build_scorer(const Ratings& train,
                                      const std::shared_ptr<const FilterPlan>& plan,
                                      const FitResources& resources, StageClock& clock,
                                      const std::function<void()>& meanwhile);

/// Where exact lists are much work, and the fast ones of a sample of people are the same: fast.
/// `signal_of` gives the signal of a query.
void choose_solver(PlanScorer& built, const Ratings& train,
                   const std::function<Signal(const Query&)>& signal_of, ThreadPool& pool);

/// Throws Error{corrupt} for parts that PlanScorer::save would not write.
[[nodiscard]] PlanScorer load_scorer(const Parts& parts,
                                     const std::shared_ptr<const FilterPlan>& plan,
                                     std::size_t items);

}  // namespace palate
