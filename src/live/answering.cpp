#include "live/answering.hpp"

#include "live/earlier_fit.hpp"
#include "live/scorer.hpp"
#include "methods/ca_gf/ca_gf.hpp"
#include "methods/popularity/popularity.hpp"

namespace palate::live {
namespace {

Computation made_exact(Computation computation) {
  if (!computation.exact) computation.why += "; live answers are exact";
  computation.exact = true;
  if (computation.storage == Storage::whole) {
    computation.why += "; live answers follow the links";
    computation.storage = Storage::dense;
  }
  return computation;
}

class ByLinks final : public Answering {
 public:
  explicit ByLinks(const CaGfRecommender& fitted)
      : computation_(made_exact(fitted.computation())) {}

  [[nodiscard]] std::unique_ptr<const Recommender> from(
      std::shared_ptr<const State> state) const override {
    const auto& plan = state->base->plan;
    const CriteriaPreference& preference = state->preference;
    return CaGfRecommender::assemble(
        plan, preference, PlanScorer{std::make_unique<Scorer>(state, workers_), computation_});
  }

 private:
  Computation computation_;
  std::shared_ptr<Workers> workers_ = std::make_shared<Workers>();
};

class ByCounts final : public Answering {
 public:
  [[nodiscard]] std::unique_ptr<const Recommender> from(
      std::shared_ptr<const State> state) const override {
    return by_popularity(*state);
  }
};

class ByFit final : public Answering {
 public:
  explicit ByFit(std::shared_ptr<const Recommender> fitted) : fitted_(std::move(fitted)) {}

  [[nodiscard]] std::unique_ptr<const Recommender> from(
      std::shared_ptr<const State> state) const override {
    return std::make_unique<EarlierFit>(fitted_, std::move(state));
  }

 private:
  std::shared_ptr<const Recommender> fitted_;
};

}  // namespace

std::unique_ptr<const Answering> make_answering(const Base& base,
                                                std::shared_ptr<const Recommender> fitted) {
  if (base.foundation == Foundation::links) {
    return std::make_unique<ByLinks>(dynamic_cast<const CaGfRecommender&>(*fitted));
  }
  if (base.foundation == Foundation::counts) return std::make_unique<ByCounts>();
  return std::make_unique<ByFit>(std::move(fitted));
}

std::unique_ptr<const Recommender> by_popularity(const State& state) {
  return std::make_unique<PopularityRecommender>(
      Array<float>{std::span(*state.rater_counts), state.rater_counts}, state.base->criteria());
}

}  // namespace palate::live
