// CA-GF fitted without telling anyone.
#pragma once

#include <memory>

#include "methods/ca_gf.hpp"

namespace palate::testing {

inline std::unique_ptr<CaGfRecommender> fitted(const Ratings& ratings, const CaGf& settings,
                                               ThreadPool& pool, std::size_t memory = 0) {
  const Progress nobody;
  return CaGfRecommender::fit(ratings, plan_ca_gf(settings, ratings.criteria()),
                              {.pool = pool, .progress = nobody, .memory = memory});
}

}  // namespace palate::testing
