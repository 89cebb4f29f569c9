// SGFCF: sums smoothed and raised to a power of one's own, the spectrum sharpened.
//
//   Rt = (D_U + alpha)^-e R (D_I + alpha)^-e = U S V^T,  S taken as shares of the largest
//   score = rows of [U S^beta (V S^beta)^T] + gamma rows of [Rt Rt^T Rt], each row adding up to 1
//
// A person's row of U is their row of Rt times V S^-1, so newcomers have one.
#pragma once

#include "methods/gf_cf/gf_cf.hpp"

namespace palate {

struct Sgfcf {
  double smoothing = 0;  ///< alpha
  double power = 0.35;   ///< e
  std::size_t rank = 256;
  double sharpness = 1;  ///< beta
  double rest = 0.5;     ///< gamma
  GraphInput input = {};
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_sgfcf(const Ratings& train,
                                                           const Sgfcf& settings,
                                                           const FitResources& resources);
[[nodiscard]] MethodEntry sgfcf_method();

}  // namespace palate
