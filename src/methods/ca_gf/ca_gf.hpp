// CA-GF: criteria-aware graph filtering (docs/method.md).
//
//   P     item graph of the stacked, normalised ratings of all criteria        graph/item_graph.hpp
//   P_f   P with every entry raised to the power s_f
//   f(P)  sum_k a_k P_f^k, one polynomial per criterion                        Branch
//   Chat  how much user u weighs criterion c: criteria_preference.hpp
//
//   s_u = 1/(C+1) sum_c Chat[u,c] r_{u,c} f_c(P)
//
// A score is linear in the ratings, so criteria with one filter are merged before filtering, a
// score falls apart into what each criterion and each rated item adds, and someone who is not in
// the data is served like anyone else.
#pragma once

#include <memory>

#include "core/recommender.hpp"
#include "methods/ca_gf/criteria_preference.hpp"
#include "methods/ca_gf/plan.hpp"
#include "ranking/plan_scorer.hpp"

namespace palate {

class CaGfRecommender final : public Recommender, public Explains, public FindsSimilar {
 public:
  /// Reports the stages "graph" and "filters".
  [[nodiscard]] static std::unique_ptr<CaGfRecommender> fit(const Ratings& train, FilterPlan plan,
                                                            const FitResources& resources);
  [[nodiscard]] static std::unique_ptr<CaGfRecommender> load(const Parts& parts, FilterPlan plan,
                                                             const Ratings& train);

  /// Of parts that someone else has made.
  [[nodiscard]] static std::unique_ptr<CaGfRecommender> assemble(
      std::shared_ptr<const FilterPlan> plan, CriteriaPreference preference, PlanScorer filters);

  [[nodiscard]] std::size_t items() const noexcept override { return scorer().items(); }
  [[nodiscard]] std::size_t criteria() const noexcept override { return plan_->criteria; }
  [[nodiscard]] CriterionSet signals() const noexcept override { return plan_->signals; }
  /// Not where one criterion of several is all that counts.
  [[nodiscard]] bool weighs_criteria() const noexcept override {
    return plan_->signals != 1U || plan_->criteria == 1;
  }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  void score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                          std::span<float> parts) const override;
  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  /// By the entries of P; with one graph per criterion, by their mean.
  [[nodiscard]] std::vector<ScoredItem> similar(std::uint32_t item, std::size_t top) const override;
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t bytes() const noexcept override { return scorer().bytes(); }

  [[nodiscard]] const FilterPlan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::shared_ptr<const FilterPlan>& shared_plan() const noexcept {
    return plan_;
  }
  [[nodiscard]] const GraphScorer& scorer() const noexcept { return *filters_.scorer; }
  [[nodiscard]] std::size_t graph_entries() const noexcept { return scorer().entries(); }
  /// How it computes, and why so.
  [[nodiscard]] const Computation& computation() const noexcept { return filters_.computation; }

 private:
  CaGfRecommender(std::shared_ptr<const FilterPlan> plan, CriteriaPreference preference,
                  PlanScorer filters)
      : plan_(std::move(plan)), preference_(std::move(preference)), filters_(std::move(filters)) {}

  [[nodiscard]] std::vector<double> preference(const Query& query) const;
  [[nodiscard]] Signal signal(const Query& query) const;

  std::shared_ptr<const FilterPlan> plan_;
  CriteriaPreference preference_;
  PlanScorer filters_;
};

}  // namespace palate
