// GF-CF: a linear filter and an ideal one over the graph of the overall ratings.
//
//   score_u = r_u P + a r_u D_I^-1/2 V V^T D_I^1/2
//
// V are the k leading right singular vectors of Rn, and r_u is the person's row as it is.
#pragma once

#include "methods/method_entry.hpp"
#include "methods/spectral/spectral_recommender.hpp"

namespace palate {

struct GfCf {
  std::size_t rank = 256;  ///< k
  double ideal = 0.3;      ///< a
  GraphInput input = {};
};

/// Of one criterion, the ideal filter left out.
[[nodiscard]] SpectralTerm gf_cf_term(const Ratings& train, std::size_t criterion,
                                      const GraphInput& input, const RatingWeight& weight = {});

[[nodiscard]] std::unique_ptr<const Recommender> fit_gf_cf(const Ratings& train,
                                                           const GfCf& settings,
                                                           const FitResources& resources);
[[nodiscard]] MethodEntry gf_cf_method();

}  // namespace palate
