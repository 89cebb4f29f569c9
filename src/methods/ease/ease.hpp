// EASE^R: the linear model in which every item is explained by the others, by ridge regression.
//
//   G = X^T X + lambda I,  Q = G^-1,  B_ji = -Q_ji / Q_ii,  B_ii = 0,  score_u = x_u B
//
// X has a row per person, or with stacked criteria one per person and criterion.
#pragma once

#include "methods/linear/linear_recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct Ease {
  enum class Input { binary, raw };
  double lambda = 250;
  Input input = Input::binary;
  bool stacked = false;
};

/// Throws Error{too_large} before it begins if the weights between all items do not fit.
[[nodiscard]] std::unique_ptr<const Recommender> fit_ease(const Ratings& train,
                                                          const Ease& settings,
                                                          const FitResources& resources);
[[nodiscard]] MethodEntry ease_method();

}  // namespace palate
