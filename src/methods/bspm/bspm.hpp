// BSPM: blur a person's ratings over the graph, then sharpen.
//
//   blur = r P,  ideal = r D_I^-1/2 V V^T D_I^1/2
//   sharpen: dy/dt = -y P over the time T in K steps of h = T / K:
//     Euler y (1 - hP), Runge-Kutta y (1 - hP + (hP)^2/2 - (hP)^3/6 + (hP)^4/24)
//   early:  y_0 = blur + b ideal, score = y_K         (EM)
//   late:   y_0 = blur,           score = y_K + b ideal   (LM)
//
// With averaging the mean of blur and the sharpened states takes the place of y_K.
#pragma once

#include "methods/gf_cf/gf_cf.hpp"

namespace palate {

struct Bspm {
  enum class Merge { early, late };
  enum class Solver { euler, runge_kutta };
  Merge merge = Merge::early;
  Solver solver = Solver::runge_kutta;
  std::size_t steps = 1;  ///< K
  double time = 2.5;      ///< T
  bool average = false;
  std::size_t rank = 448;
  double ideal = 0.2;  ///< b
  GraphInput input = {};
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_bspm(const Ratings& train,
                                                          const Bspm& settings,
                                                          const FitResources& resources);
[[nodiscard]] MethodEntry bspm_method();

}  // namespace palate
