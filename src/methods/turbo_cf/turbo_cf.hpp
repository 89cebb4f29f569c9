// Turbo-CF: a polynomial of the overall graph with every entry raised to a power.
//
//   Rt = D_U^-a R D_I^(a-1),  Pt = Rt^T Rt,  Pb = Pt with every entry raised to s
//   score_u = r_u f(Pb):  linear Pb,  second 2 Pb - Pb^2,  third 0.71 Pb + 0.1 Pb^2 - 0.01 Pb^3
//
// Where ratings are binary and a = 1/2, the linear filter is CA-GF's, with graph and signal of one
// criterion.
#pragma once

#include "methods/linear/linear_recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct TurboCf {
  enum class Order { linear, second, third };
  enum class Input { binary, raw };
  Order filter = Order::linear;
  double user_power = 0.5;  ///< a
  double link_power = 1;    ///< s
  Input input = Input::raw;
};

/// Throws Error{too_large} before it begins if the weights between all items do not fit.
[[nodiscard]] std::unique_ptr<const Recommender> fit_turbo_cf(const Ratings& train,
                                                              const TurboCf& settings,
                                                              const FitResources& resources);
[[nodiscard]] MethodEntry turbo_cf_method();

}  // namespace palate
