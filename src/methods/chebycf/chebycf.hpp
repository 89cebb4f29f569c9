// ChebyCF: a plateau response to the graph's frequencies, as a Chebyshev polynomial, and an ideal
// filter, between powers of the items' sums n.
//
//   score_u = r_u n^-b [p_8(L) + a V V^T] n^b,  L = 1 - P
//   p_8 interpolates h at 9 points: with t = 2 lambda - 1,
//     h = .5 + .5 (-t)^phi for t < 0, .5 - .5 t^phi for t >= 0
#pragma once

#include "methods/gf_cf/gf_cf.hpp"

namespace palate {

struct ChebyCf {
  std::size_t order = 8;
  double flatness = 1.5;    ///< phi
  double item_power = 0.4;  ///< b
  std::size_t rank = 512;
  double ideal = 0.2;  ///< a
  GraphInput input = {};
};

/// Coefficients of T_k(t).
[[nodiscard]] Polynomial plateau(std::size_t order, double flatness);

[[nodiscard]] std::unique_ptr<const Recommender> fit_chebycf(const Ratings& train,
                                                             const ChebyCf& settings,
                                                             const FitResources& resources);
[[nodiscard]] MethodEntry chebycf_method();

}  // namespace palate
