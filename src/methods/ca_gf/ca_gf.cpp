#include "methods/ca_gf/ca_gf.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>

#include "ranking/dense_scorer.hpp"
#include "ranking/select.hpp"
#include "ranking/sparse_scorer.hpp"
#include "ranking/whole_scorer.hpp"

namespace palate {
namespace {

class StageClock {
 public:
  explicit StageClock(Stages* stages) : stages_(stages) {}
  void done(const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    if (stages_ != nullptr) {
      stages_->emplace_back(stage, std::chrono::duration<double>(now - start_).count());
    }
    start_ = now;
  }

 private:
  Stages* stages_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<CaGfRecommender> CaGfRecommender::fit(const Ratings& train, FilterPlan plan_to_run,
                                                      const FitResources& resources) {
  StageClock clock(resources.stages);
  ThreadPool& pool = resources.pool;
  const auto plan = std::make_shared<const FilterPlan>(std::move(plan_to_run));
  Computation engine;
  std::optional<CriteriaPreference> preference;
  pool.for_chunks(2, 1, [&](std::size_t task, std::size_t, unsigned) {  // side by side
    if (task == 0) {
      engine = choose_computation(train, *plan, resources.memory);
    } else {
      preference = CriteriaPreference::fit(train, plan->preference);
    }
  });
  std::unique_ptr<const GraphScorer> scorer;
  if (engine.storage == Storage::dense || engine.storage == Storage::whole) {
    ItemOrder order = popularity_order(train);
    std::vector<DenseGraph> graphs;
    for (const CriterionSet criteria : plan->graphs) {
      graphs.push_back(DenseGraph::build(train, criteria, order, pool, resources.progress));
    }
    clock.done("graph");
    if (engine.storage == Storage::whole) {
      scorer = std::make_unique<WholeScorer>(
          WholeFilters::build(plan, std::move(order), std::move(graphs), pool));
    } else {
      scorer = std::make_unique<DenseScorer>(plan, std::move(order), std::move(graphs),
                                             engine.exact, pool);
    }
  } else {
    std::vector<ItemGraph> graphs;
    for (const CriterionSet criteria : plan->graphs) {
      graphs.push_back(
          engine.storage == Storage::bounded
              ? build_bounded_graph(train, criteria, engine.neighbours, pool, resources.progress)
              : build_item_graph(train, criteria, pool, resources.progress));
    }
    clock.done("graph");
    scorer = std::make_unique<SparseScorer>(plan, std::move(graphs), engine.exact, pool);
  }
  auto fitted = std::unique_ptr<CaGfRecommender>(
      new CaGfRecommender(plan, std::move(*preference), std::move(scorer), std::move(engine)));
  if (plan->solver == Solver::automatic) fitted->choose_solver(train, pool);
  clock.done("filters");
  return fitted;
}

std::unique_ptr<CaGfRecommender> CaGfRecommender::assemble(
    std::shared_ptr<const FilterPlan> plan, CriteriaPreference preference,
    std::unique_ptr<const GraphScorer> scorer, Computation engine) {
  return std::unique_ptr<CaGfRecommender>(new CaGfRecommender(
      std::move(plan), std::move(preference), std::move(scorer), std::move(engine)));
}

// Where exact lists are much work, and the fast ones of a sample of people are the same, fast.
void CaGfRecommender::choose_solver(const Ratings& train, ThreadPool& pool) {
  constexpr double cheap = 3e7;  // users times items
  constexpr std::size_t people = 256;
  constexpr std::size_t together = 32;
  constexpr double most_changed = 5e-4;
  const auto* dense = dynamic_cast<const DenseScorer*>(scorer_.get());
  if (dense == nullptr || !dense->has_shortcut()) return;
  if (static_cast<double>(train.users()) * static_cast<double>(train.items()) < cheap) {
    engine_.why += "; exact lists of everybody are quick";
    return;
  }
  std::unique_ptr<const DenseScorer> fast = dense->with_fast_solver();
  std::vector<Query> queries;
  std::vector<Signal> signals;
  const std::size_t step = std::max<std::size_t>(1, train.users() / people);
  for (std::size_t u = 0; u < train.users() && queries.size() < people; u += step) {
    if (train.of(static_cast<std::uint32_t>(u)).size() == 0) continue;
    queries.push_back({.ratings = train.of(static_cast<std::uint32_t>(u))});
    signals.push_back(signal(queries.back()));
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
  engine_.why += "; of " + std::to_string(places) +
                 " places in a sample of lists the fast solver " + "changes " +
                 std::to_string(changed);
  if (!take) return;
  scorer_ = std::move(fast);
  engine_.exact = false;
}

// Chat[u,c], times the caller's weights; 0 for criteria that do not count.
std::vector<double> CaGfRecommender::preference(const Query& query) const {
  std::vector<double> chat(plan_->criteria);
  preference_.of(query.ratings, chat);
  for (std::size_t c = 0; c < chat.size(); ++c) {
    if ((plan_->signals >> c & 1U) == 0) chat[c] = 0;
    if (!query.weights.empty()) chat[c] *= static_cast<double>(query.weights[c]);
  }
  return chat;
}

Signal CaGfRecommender::signal(const Query& query) const {
  Signal out{.ratings = query.ratings};
  const std::vector<double> chat = preference(query);
  const double share = 1.0 / std::popcount(plan_->signals);
  for (std::size_t c = 0; c < chat.size(); ++c) out.factor[c] = static_cast<float>(chat[c] * share);
  return out;
}

void CaGfRecommender::recommend(std::span<const Query> queries,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
  std::vector<Signal> signals(queries.size());
  pool.for_chunks(queries.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k) signals[k] = signal(queries[k]);
  });
  scorer_->recommend(queries, signals, lists, pool);
}

void CaGfRecommender::score(const Query& query, std::span<float> scores) const {
  const Signal one = signal(query);
  scorer_->score({&one, 1}, scores);
}

std::vector<Signal> CaGfRecommender::signals_by_criterion(const Query& query) const {
  const Signal all = signal(query);
  std::vector<Signal> signals(plan_->criteria, Signal{.ratings = query.ratings});
  for (std::size_t c = 0; c < signals.size(); ++c) signals[c].factor[c] = all.factor[c];
  return signals;
}

void CaGfRecommender::score_by_criterion_at(const Query& query,
                                            std::span<const std::uint32_t> items,
                                            std::span<float> parts) const {
  const std::vector<Signal> signals = signals_by_criterion(query);
  std::vector<float> scores(signals.size() * items.size());
  scorer_->score_at(signals, items, scores);
  for (std::size_t c = 0; c < signals.size(); ++c) {
    for (std::size_t k = 0; k < items.size(); ++k) {
      parts[k * signals.size() + c] = scores[c * items.size() + k];
    }
  }
}

void CaGfRecommender::score_by_criterion(const Query& query, std::span<float> parts) const {
  const std::vector<Signal> signals = signals_by_criterion(query);
  std::vector<float> scores(signals.size() * items());
  scorer_->score(signals, scores);
  for (std::size_t c = 0; c < signals.size(); ++c) {
    for (std::size_t i = 0; i < items(); ++i) {
      parts[i * signals.size() + c] = scores[c * items() + i];
    }
  }
}

Attribution CaGfRecommender::explain(const Query& query, std::uint32_t item) const {
  Attribution out;
  out.preference = preference(query);
  out.by_criterion.assign(plan_->criteria, 0.0);
  const double share = 1.0 / std::popcount(plan_->signals);
  for (const Branch& branch : plan_->branches) {
    const std::vector<double> column = scorer_->filter_column(branch, item, query.ratings.items);
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      for (CriterionSet rest = branch.criteria; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<std::uint32_t>(std::countr_zero(rest));
        const auto rating = static_cast<double>(query.ratings.values[k * plan_->criteria + c]);
        const double value = share * out.preference[c] * rating * column[k];
        if (value == 0) continue;
        out.parts.push_back({query.ratings.items[k], c, value});
        out.by_criterion[c] += value;
      }
    }
  }
  for (const double part : out.by_criterion) out.score += part;
  return out;
}

std::vector<ScoredItem> CaGfRecommender::similar(std::uint32_t item, std::size_t top) const {
  std::vector<double> sums(items(), 0.0);
  for (std::size_t g = 0; g < plan_->graphs.size(); ++g) scorer_->add_similarities(g, item, sums);
  kernels::TopK best;
  best.reset(std::min(top, items()));
  for (std::uint32_t j = 0; j < items(); ++j) {
    if (j != item && sums[j] > 0) {
      best.offer(static_cast<float>(sums[j] / static_cast<double>(plan_->graphs.size())), j);
    }
  }
  return to_list(best);
}

void CaGfRecommender::save(Parts& parts) const {
  scorer_->save(parts);
  parts.put("method/preference", preference_.adjusted());
  parts.put("method/engine", Array<std::uint64_t>({static_cast<std::uint64_t>(engine_.storage),
                                                   std::uint64_t{engine_.exact}, engine_.neighbours,
                                                   engine_.bytes}));
  parts.put("method/why", Array<char>({engine_.why.begin(), engine_.why.end()}));
}

std::unique_ptr<CaGfRecommender> CaGfRecommender::load(const Parts& parts, FilterPlan plan_to_run,
                                                       const Ratings& train) {
  const auto plan = std::make_shared<const FilterPlan>(std::move(plan_to_run));
  const auto stored = parts.get<std::uint64_t>("method/engine");
  if (stored.size() != 4 || stored[0] > static_cast<std::uint64_t>(Storage::whole) ||
      stored[1] > 1) {
    throw Error(ErrorCode::corrupt, "the model file does not say how it scores");
  }
  const auto why = parts.get<char>("method/why");
  Computation engine{static_cast<Storage>(stored[0]),
                     stored[1] != 0,
                     stored[2],
                     stored[3],
                     {why.begin(), why.end()}};
  auto adjusted = parts.get<double>("method/preference");
  if (adjusted.size() != (plan->preference ? plan->criteria * plan->criteria : 0)) {
    throw Error(ErrorCode::corrupt, "the criteria preference in the model file is damaged");
  }
  CriteriaPreference preference(plan->criteria, std::move(adjusted));
  std::unique_ptr<const GraphScorer> scorer;
  if (engine.storage == Storage::dense) {
    scorer = std::make_unique<DenseScorer>(plan, parts, train.items(), engine.exact);
  } else if (engine.storage == Storage::whole) {
    scorer = std::make_unique<WholeScorer>(WholeFilters::load(plan, parts, train.items()));
  } else {
    scorer = std::make_unique<SparseScorer>(plan, parts, train.items(), engine.exact);
  }
  return std::unique_ptr<CaGfRecommender>(
      new CaGfRecommender(plan, std::move(preference), std::move(scorer), std::move(engine)));
}

}  // namespace palate
