// A linear model fitted without telling anyone.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "methods/linear/linear_recommender.hpp"
#include "support/errors.hpp"
#include "support/slow_twin.hpp"
#include "unit/methods/sample_data.hpp"

namespace palate::testing {

/// `fit`: fit_ease or fit_adaptive, with settings of its own.
template <typename Settings, auto fit>
std::unique_ptr<const LinearRecommender> fitted_linear(const Ratings& ratings,
                                                       const Settings& settings,
                                                       unsigned threads = 2,
                                                       std::size_t memory = 0) {
  const Progress nobody;
  Stages stages;
  ThreadPool pool(threads);
  auto out = fit(ratings, settings, {pool, nobody, stages, memory});
  return std::unique_ptr<const LinearRecommender>(
      dynamic_cast<const LinearRecommender*>(out.release()));
}

}  // namespace palate::testing
