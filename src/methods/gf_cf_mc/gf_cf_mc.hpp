// GF-CF_MC: GF-CF for every criterion by itself, with a graph and directions of its own; the scores
// are added up, none weighing more than another.
#pragma once

#include "methods/gf_cf/gf_cf.hpp"

namespace palate {

struct GfCfMc {
  std::size_t rank = 256;
  double ideal = 0.3;
  GraphInput input = {};
};

[[nodiscard]] std::unique_ptr<const Recommender> fit_gf_cf_mc(const Ratings& train,
                                                              const GfCfMc& settings,
                                                              const FitResources& resources);
[[nodiscard]] MethodEntry gf_cf_mc_method();

}  // namespace palate
