// What item-item linear models share: lists, explanations, similar items, newcomers, saving.
//
//   score_ui = sum over rated items j and criteria c of x_ujc w_ji
//
// A method supplies the weights w and says how a rating becomes a signal x.
#pragma once

#include "core/recommender.hpp"
#include "methods/linear/item_weights.hpp"
#include "ranking/scratches.hpp"

namespace palate {

/// How ratings become signals: x = (rating / scale)^power.
struct LinearSignal {
  CriterionSet criteria = 1;      ///< those that count; overall alone
  float power = 1;                ///< 0: x = 1 for what was rated
  std::vector<float> scale = {};  ///< per criterion; empty: 1
  bool mean = false;              ///< over the criteria that were rated, instead of their sum

  /// x of the k-th rated item by one criterion; 0 where it was not rated.
  [[nodiscard]] float of(const UserRatings& ratings, std::size_t k, std::size_t criterion,
                         std::size_t width) const noexcept;
};

class LinearRecommender final : public Recommender, public Explains, public FindsSimilar {
 public:
  LinearRecommender(ItemWeights weights, LinearSignal signal, std::size_t criteria)
      : weights_(std::move(weights)), signal_(std::move(signal)), criteria_(criteria) {}
  /// `asked`: as for ItemWeights::load. Throws Error{corrupt}.
  [[nodiscard]] static std::unique_ptr<LinearRecommender> load(const Parts& parts,
                                                               LinearSignal signal,
                                                               const Ratings& train,
                                                               std::optional<Precision> asked = {});

  [[nodiscard]] std::size_t items() const noexcept override { return weights_.items(); }
  [[nodiscard]] std::size_t criteria() const noexcept override { return criteria_; }
  [[nodiscard]] CriterionSet signals() const noexcept override { return signal_.criteria; }
  /// Not where overall ratings of several criteria are all that counts.
  [[nodiscard]] bool weighs_criteria() const noexcept override { return signal_.criteria != 1U; }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  /// The items whose ratings add most to the score of `item`.
  [[nodiscard]] std::vector<ScoredItem> similar(std::uint32_t item, std::size_t top) const override;
  void save(Parts& parts) const override { weights_.save(parts); }
  [[nodiscard]] std::size_t bytes() const noexcept override { return weights_.bytes(); }

  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  void score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                          std::span<float> parts) const override;

  [[nodiscard]] const ItemWeights& weights() const noexcept { return weights_; }

 private:
  /// x_ujc of the k-th rated item, times the caller's weight.
  [[nodiscard]] float x(const Query& query, std::size_t k, std::size_t criterion) const noexcept {
    const float value = signal_.of(query.ratings, k, criterion, criteria_);
    return query.term_weights.empty() ? value : value * query.term_weights[criterion];
  }

  /// The same summed over criteria.
  [[nodiscard]] float x(const Query& query, std::size_t k) const noexcept;

  ItemWeights weights_;
  LinearSignal signal_;
  std::size_t criteria_;
  mutable Scratches<std::vector<float>> scratch_;  // scores of one person
};

}  // namespace palate
