// A model that was fitted on an earlier state, asked about a later one: everyone's ratings are
// those of now, what was learned from them is that of then.
#pragma once

#include <memory>

#include "core/recommender.hpp"
#include "live/state.hpp"

namespace palate::live {

/// An item that came after the fit is like one that nobody rated: its score is 0, and a rating of
/// it adds nothing to other scores. Holds no copy of anything large.
class EarlierFit final : public Recommender, public Explains, public FindsSimilar {
 public:
  /// `fitted`: on the ratings that the states began with, a method that serves newcomers.
  EarlierFit(std::shared_ptr<const Recommender> fitted, std::shared_ptr<const State> state)
      : fitted_(std::move(fitted)), state_(std::move(state)) {}

  [[nodiscard]] std::size_t items() const noexcept override { return state_->items(); }
  [[nodiscard]] std::size_t criteria() const noexcept override { return fitted_->criteria(); }
  [[nodiscard]] CriterionSet signals() const noexcept override { return fitted_->signals(); }
  [[nodiscard]] bool weighs_criteria() const noexcept override {
    return fitted_->weighs_criteria();
  }
  void recommend(std::span<const Query> queries, std::span<std::vector<ScoredItem>> lists,
                 ThreadPool& pool) const override;
  void score(const Query& query, std::span<float> scores) const override;
  [[nodiscard]] std::vector<ScoredItem> similar(std::uint32_t item, std::size_t top) const override;
  /// A state is not kept; the fitted model is.
  void save(Parts& parts) const override;
  [[nodiscard]] std::size_t bytes() const noexcept override { return fitted_->bytes(); }

  [[nodiscard]] Attribution explain(const Query& query, std::uint32_t item) const override;
  void score_by_criterion(const Query& query, std::span<const std::uint32_t> items,
                          std::span<float> parts) const override;

  [[nodiscard]] const Recommender& fitted() const noexcept { return *fitted_; }

 private:
  [[nodiscard]] Query as_fitted(const Query& query) const;
  void add_later_items(const Query& query, std::vector<ScoredItem>& list) const;

  std::shared_ptr<const Recommender> fitted_;
  std::shared_ptr<const State> state_;
};

}  // namespace palate::live
