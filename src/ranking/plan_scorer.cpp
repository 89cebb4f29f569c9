#include "ranking/plan_scorer.hpp"

#include <algorithm>

#include "palate/error.hpp"
#include "ranking/dense_scorer.hpp"
#include "ranking/sparse_scorer.hpp"
#include "ranking/whole_scorer.hpp"

namespace palate {

PlanScorer build_scorer(const Ratings& train, const std::shared_ptr<const FilterPlan>& plan,
                        const FitResources& resources, StageClock& clock,
                        const std::function<void()>& meanwhile) {
  ThreadPool& pool = resources.pool;
  PlanScorer built;
  pool.for_chunks(2, 1, [&](std::size_t task, std::size_t, unsigned) {  // side by side
    if (task == 0) {
      built.computation = choose_computation(train, *plan, resources.memory);
    } else {
      meanwhile();
    }
  });
  const Computation& computation = built.computation;
  if (computation.storage == Storage::dense || computation.storage == Storage::whole) {
    ItemOrder order = popularity_order(train);
    std::vector<DenseGraph> graphs;
    for (const CriterionSet criteria : plan->graphs) {
      graphs.push_back(DenseGraph::build(train, criteria, order, pool, resources.progress));
    }
    clock.done("graph");
    if (computation.storage == Storage::whole) {
      built.scorer = std::make_unique<WholeScorer>(
          WholeFilters::build(plan, std::move(order), std::move(graphs), pool));
    } else {
      built.scorer = std::make_unique<DenseScorer>(plan, std::move(order), std::move(graphs),
                                                   computation.exact, pool);
    }
    return built;
  }
  std::vector<ItemGraph> graphs;
  for (const CriterionSet criteria : plan->graphs) {
    graphs.push_back(
        computation.storage == Storage::bounded
            ? build_bounded_graph(train, criteria, computation.neighbours, pool, resources.progress)
            : build_item_graph(train, criteria, pool, resources.progress));
  }
  clock.done("graph");
  built.scorer = std::make_unique<SparseScorer>(plan, std::move(graphs), computation.exact, pool);
  return built;
}

void choose_solver(PlanScorer& built, const Ratings& train,
                   const std::function<Signal(const Query&)>& signal_of, ThreadPool& pool) {
  constexpr double cheap = 3e7;  // users times items
  constexpr std::size_t people = 256;
  constexpr std::size_t together = 32;
  constexpr double most_changed = 5e-4;
  const auto* dense = dynamic_cast<const DenseScorer*>(built.scorer.get());
  if (dense == nullptr || !dense->has_shortcut()) return;
  if (static_cast<double>(train.users()) * static_cast<double>(train.items()) < cheap) {
    built.computation.why += "; exact lists of everybody are quick";
    return;
  }
  std::unique_ptr<const DenseScorer> fast = dense->with_fast_solver();
  std::vector<Query> queries;
  std::vector<Signal> signals;
  const std::size_t step = std::max<std::size_t>(1, train.users() / people);
  for (std::size_t u = 0; u < train.users() && queries.size() < people; u += step) {
    if (train.of(static_cast<std::uint32_t>(u)).size() == 0) continue;
    queries.push_back({.ratings = train.of(static_cast<std::uint32_t>(u))});
    signals.push_back(signal_of(queries.back()));
  }
  std::vector<std::vector<ScoredItem>> exact_lists(queries.size());
  std::vector<std::vector<ScoredItem>> fast_lists(queries.size());
  for (std::size_t k = 0; k < queries.size(); k += together) {
    const std::size_t count = std::min(together, queries.size() - k);
    const auto ask = [&](const GraphScorer& scorer, std::vector<std::vector<ScoredItem>>& lists) {
      scorer.recommend(std::span(queries).subspan(k, count), std::span(signals).subspan(k, count),
                       std::span(lists).subspan(k, count), pool);
    };
    ask(*dense, exact_lists);
    ask(*fast, fast_lists);
  }
  std::size_t places = 0;
  std::size_t changed = 0;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const auto& exact = exact_lists[k];
    places += exact.size();
    for (const ScoredItem& one : fast_lists[k]) {
      const bool same = std::any_of(exact.begin(), exact.end(),
                                    [&](const ScoredItem& e) { return e.item == one.item; });
      changed += same ? 0 : 1;
    }
  }
  const bool take = static_cast<double>(changed) <= most_changed * static_cast<double>(places);
  built.computation.why += "; of " + std::to_string(places) +
                           " places in a sample of lists the fast solver " + "changes " +
                           std::to_string(changed);
  if (!take) return;
  built.scorer = std::move(fast);
  built.computation.exact = false;
}

void PlanScorer::save(Parts& parts) const {
  scorer->save(parts);
  parts.put("method/engine", Array<std::uint64_t>({static_cast<std::uint64_t>(computation.storage),
                                                   std::uint64_t{computation.exact},
                                                   computation.neighbours, computation.bytes}));
  parts.put("method/why", Array<char>({computation.why.begin(), computation.why.end()}));
}

PlanScorer load_scorer(const Parts& parts, const std::shared_ptr<const FilterPlan>& plan,
                       std::size_t items) {
  const auto stored = parts.get<std::uint64_t>("method/engine");
  if (stored.size() != 4 || stored[0] > static_cast<std::uint64_t>(Storage::whole) ||
      stored[1] > 1) {
    throw Error(ErrorCode::corrupt, "the model file does not say how it scores");
  }
  const auto why = parts.get<char>("method/why");
  PlanScorer out{nullptr,
                 {static_cast<Storage>(stored[0]),
                  stored[1] != 0,
                  stored[2],
                  stored[3],
                  {why.begin(), why.end()}}};
  if (out.computation.storage == Storage::dense) {
    out.scorer = std::make_unique<DenseScorer>(plan, parts, items, out.computation.exact);
  } else if (out.computation.storage == Storage::whole) {
    out.scorer = std::make_unique<WholeScorer>(WholeFilters::load(plan, parts, items));
  } else {
    out.scorer = std::make_unique<SparseScorer>(plan, parts, items, out.computation.exact);
  }
  return out;
}

}  // namespace palate
