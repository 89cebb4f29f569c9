// FIRE: GF-CF over a graph in which ratings fade with their age.
//
//   W_ui = exp(decay (t_ui - t_newest)) r_ui,  Wn = D_U^-1/2 W D_I^-1/2
//   score_u = r_u Wn^T Wn + a r_u D_I^-1/2 V V^T D_I^1/2
//
// Without times W = R, and it is GF-CF with the same rank and weight. What the authors add for side
// information of people and items is left out: ratings have none.
#pragma once

#include "methods/gf_cf/gf_cf.hpp"

namespace palate {

struct Fire {
  double decay = 1e-6;  ///< per second
  std::size_t rank = 128;
  double ideal = 0.2;  ///< a
  GraphInput input = {};
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_fire(const Ratings& train,
                                                          const Fire& settings,
                                                          const FitResources& resources);
[[nodiscard]] MethodEntry fire_method();

}  // namespace palate
