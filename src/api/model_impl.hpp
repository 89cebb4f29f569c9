// What a Model holds.
#pragma once

#include <memory>

#include "api/catalogue.hpp"
#include "core/recommender.hpp"
#include "methods/popularity/popularity.hpp"
#include "palate/model.hpp"

namespace palate {

struct Model::Impl {
  explicit Impl(Ratings given) : ratings(std::move(given)) {}

  const Ratings ratings;
  const RatingsCatalogue catalogue{ratings};
  Method method;
  std::unique_ptr<const Recommender> recommender;
  std::unique_ptr<const Recommender> fallback;  ///< for people without ratings
  std::string version;                          ///< of the palate that fitted it
  Stages seconds;                               ///< of the fit, by stage
};

/// Puts together a model around a recommender.
[[nodiscard]] Model make_model(Ratings ratings, Method method,
                               std::unique_ptr<const Recommender> recommender, std::string version,
                               Stages seconds);

/// What there is to say of a method and how it computes; not of the ratings.
[[nodiscard]] ModelInfo describe(const Method& method, const Recommender& recommender);

}  // namespace palate
