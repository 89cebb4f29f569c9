// What a Model holds.
#pragma once

#include <memory>

#include "core/recommender.hpp"
#include "methods/popularity.hpp"
#include "palate/model.hpp"

namespace palate {

struct Model::Impl {
  Ratings ratings;
  Method method;
  std::unique_ptr<const Recommender> recommender;
  std::unique_ptr<const Recommender> fallback;  ///< for people without ratings
  std::string version;                          ///< of the palate that fitted it
};

/// Puts together a model around a recommender.
[[nodiscard]] Model make_model(Ratings ratings, Method method,
                               std::unique_ptr<const Recommender> recommender, std::string version);

/// One multiplier per criterion, or empty if none was given. Throws Error{usage} for an unknown
/// criterion or a weight that is negative, not finite, or 0 for all; Error{unsupported} if the
/// recommender does not weigh.
[[nodiscard]] std::vector<float> resolve_weights(
    const Ratings& ratings, const Recommender& recommender,
    const std::vector<std::pair<std::string, double>>& weights);

}  // namespace palate
