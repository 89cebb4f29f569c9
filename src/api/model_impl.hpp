// What stands behind an Advisor and a Model.
#pragma once

#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/ratings_view.hpp"
#include "core/recommender.hpp"
#include "dials/dials.hpp"
#include "palate/model.hpp"
#include "prediction/prediction.hpp"

namespace palate {

/// What a model was fitted with, and by which version of palate.
struct Origin {
  Method method;
  std::string version;
  std::optional<Choice> choice = {};             ///< how the settings were chosen
  Stages seconds = {};                           ///< of the fit, by stage
  std::vector<DialStrength> dials = {};          ///< per criterion; empty if not known yet
  std::vector<PredictionRule> predictions = {};  ///< the same
};

/// How dials move the lists of an advisor.
struct Dials {
  Contrasts contrasts;
  std::vector<DialStrength> strengths;
};

struct Advisor::Impl {
  std::unique_ptr<const RatingsView> ratings;
  std::unique_ptr<const Recommender> recommender;
  std::unique_ptr<const Recommender> fallback;  ///< for people without ratings
  std::shared_ptr<const Origin> origin;
  /// Of items from this index on the recommender has learned nothing yet.
  std::size_t learned_items = std::numeric_limits<std::size_t>::max();
  /// Whether it lasts, so that it is worth while to work out things for all items.
  bool lasts = false;

  /// Made when first asked for: it takes lists of some people where strengths are not known yet.
  [[nodiscard]] [[gnu::visibility("hidden")]] const Dials& dials() const;
  /// One per criterion. Learned when first asked for, where they are not known yet.
  [[nodiscard]] [[gnu::visibility("hidden")]] std::span<const PredictionRule> predictions() const;
  [[nodiscard]] [[gnu::visibility("hidden")]] Predictor predictor() const;

 private:
  mutable std::once_flag made_dials_, made_predictions_, made_levels_;
  mutable std::optional<const Dials> dials_;
  mutable std::vector<PredictionRule> predictions_;
  mutable std::vector<float> levels_;
};

struct Model::Impl : Advisor::Impl {
  Ratings train;
};

/// The way between what callers hold and what stands behind it.
struct Inside {
  /// T: Model or LiveSnapshot.
  template <class T>
  [[nodiscard]] static const typename T::Impl& of(const T& advisor) noexcept {
    return static_cast<const typename T::Impl&>(*advisor.impl_);
  }
  template <class T>
  [[nodiscard]] static T make(std::shared_ptr<const typename T::Impl> impl) noexcept {
    return T(std::move(impl));
  }
};

/// Puts together a model around a recommender.
[[nodiscard]] Model make_model(Ratings ratings, std::unique_ptr<const Recommender> recommender,
                               Origin origin);

/// What there is to say of a method and how it computes; not of the ratings.
[[nodiscard]] ModelInfo describe(const Method& method, const Recommender& recommender);

}  // namespace palate
