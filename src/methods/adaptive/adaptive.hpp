// The adaptive filter: weights between items whose shape is found on the data.
//
//   score_u = x_u F,  F_ji = n_j^-alpha K_ji n_i^-beta,  x_uj = (o_uj / max)^p
//   N = R^T diag(n_u^-2a) R,  R = (o / max)^g
//   graph:  K = N^s, entry by entry
//   ridge:  C_ij = N_ij / sqrt(N_ii N_jj),  M_ij = sqrt(N_ii N_jj) C_ij^s,
//           Q = (M + diag(lambda mean(N_ii) (n_i / mean n)^t))^-1,  K_ji = -Q_ji / Q_ii,  K_ii = 0
//
// o are overall ratings, n_i and n_u how many an item and a person have. EASE^R is the ridge with
// a = t = alpha = beta = p = g = 0 and s = 1; CA-GF's linear filter on overall ratings the graph
// with a = alpha = beta = 0.5 and s = p = g = 1.
#pragma once

#include "methods/linear/linear_recommender.hpp"
#include "methods/method_entry.hpp"

namespace palate {

struct Adaptive {
  enum class Weights { ridge, graph };
  enum class Signal { overall, criteria };

  Weights weights = Weights::ridge;
  double user_power = 0.25;  ///< a
  double level_power = 0;    ///< g
  double link_power = 1.5;   ///< s
  double lambda = 8;
  double lambda_power = 0.3;   ///< t
  double source_power = 0.1;   ///< alpha
  double target_power = 0.2;   ///< beta
  double rating_power = 0.65;  ///< p
  Signal signal = Signal::criteria;
  Precision precision = Precision::automatic;
};

/// Throws Error{too_large} before it begins if the weights between all items do not fit.
[[nodiscard]] std::unique_ptr<const Recommender> fit_adaptive(const Ratings& train,
                                                              const Adaptive& settings,
                                                              const FitResources& resources);
/// How ratings of these criteria become signals.
[[nodiscard]] LinearSignal signal_of(const Adaptive& settings, std::span<const Criterion> criteria);
[[nodiscard]] MethodEntry adaptive_method();

}  // namespace palate
