// What stands behind an Advisor and a Model.
#pragma once

#include <memory>
#include <string>

#include "api/ratings_view.hpp"
#include "core/recommender.hpp"
#include "palate/model.hpp"

namespace palate {

/// What a model was fitted with, and by which version of palate.
struct Origin {
  Method method;
  std::string version;
  Stages seconds;  ///< of the fit, by stage
};

struct Advisor::Impl {
  std::unique_ptr<const RatingsView> ratings;
  std::unique_ptr<const Recommender> recommender;
  std::unique_ptr<const Recommender> fallback;  ///< for people without ratings
  std::shared_ptr<const Origin> origin;
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
[[nodiscard]] Model make_model(Ratings ratings, Method method,
                               std::unique_ptr<const Recommender> recommender, std::string version,
                               Stages seconds);

/// What there is to say of a method and how it computes; not of the ratings.
[[nodiscard]] ModelInfo describe(const Method& method, const Recommender& recommender);

}  // namespace palate
