#include "methods/ca_gf/ca_gf.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/stage_clock.hpp"
#include "palate/error.hpp"
#include "ranking/select.hpp"

namespace palate {

std::unique_ptr<CaGfRecommender> CaGfRecommender::fit(const Ratings& train, FilterPlan settings,
                                                      const FitResources& resources) {
  const auto plan = std::make_shared<const FilterPlan>(std::move(settings));
  StageClock clock(resources.stages);
  std::optional<CriteriaPreference> preference;
  // P = Rn^T Rn of each graph, P_f, and f(P) as far as it pays to compute it beforehand
  PlanScorer filters = build_scorer(train, plan, resources, clock, [&] {
    // T = Xn^T Xn with every entry raised to s_T
    preference = CriteriaPreference::fit(train, plan->preference);
  });
  auto fitted = assemble(plan, std::move(*preference), std::move(filters));
  if (plan->solver == Solver::automatic) {
    choose_solver(
        fitted->filters_, train, [&](const Query& query) { return fitted->signal(query); },
        resources.pool);
  }
  clock.done("filters");
  return fitted;
}

std::unique_ptr<CaGfRecommender> CaGfRecommender::assemble(std::shared_ptr<const FilterPlan> plan,
                                                           CriteriaPreference preference,
                                                           PlanScorer filters) {
  return std::unique_ptr<CaGfRecommender>(
      new CaGfRecommender(std::move(plan), std::move(preference), std::move(filters)));
}

// Chat[u,c], times the caller's weights; 0 for criteria that do not count.
std::vector<double> CaGfRecommender::preference(const Query& query) const {
  std::vector<double> chat(plan_->criteria);
  preference_.of(query.ratings, chat);
  for (std::size_t c = 0; c < chat.size(); ++c) {
    if ((plan_->signals >> c & 1U) == 0) chat[c] = 0;
    if (!query.term_weights.empty()) chat[c] *= static_cast<double>(query.term_weights[c]);
  }
  return chat;
}

// x_f = sum over the criteria c of f of Chat[u,c] r_{u,c} / (C+1)
Signal CaGfRecommender::signal(const Query& query) const {
  Signal out{.ratings = query.ratings};
  const std::vector<double> chat = preference(query);
  const double share = 1.0 / std::popcount(plan_->signals);
  for (std::size_t c = 0; c < chat.size(); ++c) out.factor[c] = static_cast<float>(chat[c] * share);
  return out;
}

// s_u = sum over filters of x_f f(P)
void CaGfRecommender::recommend(std::span<const Query> queries,
                                std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
  std::vector<Signal> signals(queries.size());
  pool.for_chunks(queries.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t k = begin; k < end; ++k) signals[k] = signal(queries[k]);
  });
  scorer().recommend(queries, signals, lists, pool);
}

void CaGfRecommender::score(const Query& query, std::span<float> scores) const {
  const Signal one = signal(query);
  scorer().score({&one, 1}, scores);
}

void CaGfRecommender::score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                                         std::span<float> parts) const {
  const Signal all = signal(query);
  std::vector<Signal> signals(plan_->criteria, Signal{.ratings = query.ratings});
  for (std::size_t c = 0; c < signals.size(); ++c) signals[c].factor[c] = all.factor[c];
  std::vector<float> scores(signals.size() * items.size());
  scorer().score_at(signals, items, scores);
  for (std::size_t c = 0; c < signals.size(); ++c) {
    for (std::size_t k = 0; k < items.size(); ++k) {
      parts[k * signals.size() + c] = scores[c * items.size() + k];
    }
  }
}

// score[i] = sum over criteria c and rated items j of Chat[u,c] r_{u,c}[j] f_c(P)[j,i] / (C+1)
Attribution CaGfRecommender::explain(const Query& query, std::uint32_t item) const {
  Attribution out;
  out.preference = preference(query);
  out.by_criterion.assign(plan_->criteria, 0.0);
  const double share = 1.0 / std::popcount(plan_->signals);
  for (const Branch& branch : plan_->branches) {
    const std::vector<double> column = scorer().filter_column(branch, item, query.ratings.items);
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
  for (std::size_t g = 0; g < plan_->graphs.size(); ++g) scorer().add_similarities(g, item, sums);
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
  filters_.save(parts);
  parts.put("method/preference", preference_.adjusted());
}

std::unique_ptr<CaGfRecommender> CaGfRecommender::load(const Parts& parts, FilterPlan settings,
                                                       const Ratings& train) {
  const auto plan = std::make_shared<const FilterPlan>(std::move(settings));
  auto adjusted = parts.get<double>("method/preference");
  if (adjusted.size() != (plan->preference ? plan->criteria * plan->criteria : 0)) {
    throw Error(ErrorCode::corrupt, "the criteria preference in the model file is damaged");
  }
  return assemble(plan, CriteriaPreference(plan->criteria, std::move(adjusted)),
                  load_scorer(parts, plan, train.items()));
}

}  // namespace palate
