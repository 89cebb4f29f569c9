// EDLAE, and with the powers DAN-EASE: ridge regression that expects a share of the input to be
// missing, and powers of the items' counts n around its weights.
//
//   G = X^T D_U^-b X + diag(lambda + n p / (1 - p)),  Q = G^-1,  B_ji = -Q_ji / Q_ii,  B_ii = 0
//   W = n^a B n^-a,  score_u = x_u W
#pragma once

#include "methods/linear/linear_recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct Edlae {
  enum class Input { binary, raw };
  double lambda = 10;
  double dropout = 0.3;   ///< p
  double user_power = 0;  ///< b
  double item_power = 0;  ///< a
  Input input = Input::binary;
};

/// Throws Error{too_large} before it begins if the weights between all items do not fit.
[[nodiscard]] std::unique_ptr<const Recommender> fit_edlae(const Ratings& train,
                                                           const Edlae& settings,
                                                           const FitResources& resources);
[[nodiscard]] MethodEntry edlae_method();

}  // namespace palate
