// Popularity: the score of an item is the number of people who rated it overall. The same for
// everyone, and what is served to people without ratings.
#pragma once

#include "core/array.hpp"
#include "core/recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct Popularity {};

class PopularityRecommender final : public Recommender, public Explains {
 public:
  [[nodiscard]] static std::unique_ptr<PopularityRecommender> fit(const Ratings& train);
  /// Of counts that someone else has made, one per item.
  PopularityRecommender(Array<float> counts, std::size_t criteria)
      : counts_(std::move(counts)), criteria_(criteria) {}

  [[nodiscard]] std::size_t items() const noexcept override { return counts_.size(); }
  [[nodiscard]] std::size_t criteria() const noexcept override { return criteria_; }
  [[nodiscard]] CriterionSet signals() const noexcept override { return 1; }
  [[nodiscard]] bool weighs_criteria() const noexcept override { return false; }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return counts_.size() * sizeof(float);
  }

  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  void score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                          std::span<float> parts) const override;

 private:
  Array<float> counts_;
  std::size_t criteria_;
};

[[nodiscard]] MethodEntry popularity_method();

}  // namespace palate
