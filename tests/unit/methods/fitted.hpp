// CA-GF fitted without telling anyone.
#pragma once

#include <memory>

#include "methods/ca_gf/ca_gf.hpp"

namespace palate::testing {

/// `whole_items`: as in the plan; 0: filters are never multiplied out.
inline std::unique_ptr<CaGfRecommender> fitted(const Ratings& ratings, const CaGf& settings,
                                               ThreadPool& pool, std::size_t memory = 0,
                                               std::size_t whole_items = FilterPlan{}.whole_items) {
  const Progress nobody;
  Stages stages;
  FilterPlan plan = plan_ca_gf(settings, ratings.criteria());
  plan.whole_items = whole_items;
  return CaGfRecommender::fit(
      ratings, std::move(plan),
      {.pool = pool, .progress = nobody, .stages = stages, .memory = memory});
}

}  // namespace palate::testing
