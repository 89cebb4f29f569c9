// PGSP: a linear filter over the items, and an ideal one over a graph of people and items.
//
//   Ru = D_U^-1/2 R, Ri = R D_I^-1/2
//   A = [[Ri Ri^T, R], [R^T, Ru^T Ru]], An = D_A^-1/2 A D_A^-1/2; V: leading eigenvectors of An
//   B = [Rn Rn^T | R], g: its column sums
//   score = phi R D_I^-1/2 P D_I^1/2 + (1 - phi) (B g^-1/2 V V^T g^1/2, its item columns)
//
// A person's row of B follows from their row of R, so newcomers have one.
#pragma once

#include "methods/gf_cf/gf_cf.hpp"

namespace palate {

struct Pgsp {
  double linear = 0.7;  ///< phi
  std::size_t rank = 512;
  GraphInput input = {};
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_pgsp(const Ratings& train,
                                                          const Pgsp& settings,
                                                          const FitResources& resources);
[[nodiscard]] MethodEntry pgsp_method();

}  // namespace palate
