// CA-GF: criteria-aware graph filtering (docs/method.md).
//
//   P     item graph of the stacked, normalised ratings of all criteria        core/item_graph.hpp
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

#include "core/item_graph.hpp"
#include "core/recommender.hpp"
#include "methods/ca_gf_graphs.hpp"
#include "methods/ca_gf_plan.hpp"

namespace palate {

class CaGfRecommender final : public Recommender {
 public:
  /// `stages`, if given, receives the seconds of "graph" and "filters".
  [[nodiscard]] static std::unique_ptr<CaGfRecommender> fit(const Ratings& train, CaGfPlan plan,
                                                            ThreadPool& pool,
                                                            const Progress& progress,
                                                            Stages* stages = nullptr);
  [[nodiscard]] static std::unique_ptr<CaGfRecommender> load(const Parts& parts, CaGfPlan plan,
                                                             const Ratings& train);

  [[nodiscard]] std::size_t items() const noexcept override { return graphs_.items(); }
  [[nodiscard]] std::size_t criteria() const noexcept override { return graphs_.plan.criteria; }
  /// Not where one criterion of several is all that counts.
  [[nodiscard]] bool weighs_criteria() const noexcept override {
    return graphs_.plan.signals != 1U || graphs_.plan.criteria == 1;
  }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  void score_by_criterion(const Query& query, std::span<float> parts) const override;
  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  /// By the entries of P; with one graph per criterion, by their mean.
  [[nodiscard]] std::vector<ScoredItem> similar(std::uint32_t item, std::size_t top) const override;
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t bytes() const noexcept override;

  [[nodiscard]] const CaGfPlan& plan() const noexcept { return graphs_.plan; }
  [[nodiscard]] std::size_t graph_entries() const noexcept;

 private:
  struct Scratch;  // panels of one worker

  /// How scores are computed; all ways give the same scores up to rounding.
  enum class Path {
    direct,     ///< sparse graph: visit the few items that are linked (ca_gf_direct.hpp)
    certified,  ///< dense graph, order 1 or 2 (ca_gf_certified.hpp)
    panels,     ///< dense graph, any order: matrix products for 16 people at once
  };

  explicit CaGfRecommender(CaGfGraphs graphs, Path path)
      : graphs_(std::move(graphs)), path_(path) {}

  [[nodiscard]] static Path choose_path(const CaGfGraphs& graphs, const Ratings& ratings);
  [[nodiscard]] std::vector<double> preference(const Query& query) const;
  [[nodiscard]] Signal signal(const Query& query) const;
  void recommend_by_panels(std::span<const Query> queries, std::span<const Signal> signals,
                           std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const;
  void filter_panel(std::span<const Signal> signals, Scratch& scratch) const;
  [[nodiscard]] std::vector<double> filter_column(const Branch& branch, std::uint32_t item,
                                                  std::span<const std::uint32_t> at) const;

  CaGfGraphs graphs_;
  Path path_;
};

}  // namespace palate
