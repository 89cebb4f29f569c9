// Item-kNN: S_ij = <r_i, r_j> / (|r_i| |r_j| + shrink) over the overall ratings; of each item the k
// most similar others are kept; score_ui = sum over those j of S_ij r_uj.
#pragma once

#include "core/array.hpp"
#include "core/recommender.hpp"
#include "graph/item_graph.hpp"
#include "palate/model.hpp"

namespace palate {

class ItemKnnRecommender final : public Recommender {
 public:
  [[nodiscard]] static std::unique_ptr<ItemKnnRecommender> fit(const Ratings& train,
                                                               const ItemKnn& settings,
                                                               ThreadPool& pool,
                                                               const Progress& progress);
  [[nodiscard]] static std::unique_ptr<ItemKnnRecommender> load(const Parts& parts,
                                                                const Ratings& train);

  [[nodiscard]] std::size_t items() const noexcept override { return neighbours_.items(); }
  [[nodiscard]] std::size_t criteria() const noexcept override { return criteria_; }
  [[nodiscard]] bool weighs_criteria() const noexcept override { return false; }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  void score_by_criterion(const Query& query, std::span<float> parts) const override;
  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  [[nodiscard]] std::vector<ScoredItem> similar(std::uint32_t item, std::size_t top) const override;
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t bytes() const noexcept override;

 private:
  ItemKnnRecommender(GraphPattern neighbours, Array<float> similarity, std::size_t criteria);

  GraphPattern neighbours_;  // row i: the neighbours j of item i, ascending
  Array<float> similarity_;
  GraphPattern sources_;  // the transpose: row j: the items i that have j as a neighbour
  Array<float> source_similarity_;
  std::size_t criteria_;
};

}  // namespace palate
