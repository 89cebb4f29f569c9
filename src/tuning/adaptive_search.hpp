// Finds the settings of the method adaptive on ratings held back.
#pragma once

#include "palate/model.hpp"

namespace palate {

struct AdaptiveChoice {
  struct Step {
    std::string tried = {};
    double worth = 0, gain = 0, error = 0;
    bool taken = false;
  };
  Method method = {};
  double start = 0, end = 0;
  std::size_t people = 0;
  std::vector<Step> steps = {};
};

/// Begins with a few good settings, then changes one at a time; a change counts if it gains more
/// than its standard error over the same people. Never ends with what is worse on the ratings held
/// back than EASE^R, popularity or CA-GF's linear filter on overall ratings.
[[nodiscard]] AdaptiveChoice choose_adaptive(const Ratings& ratings, const ChooseOptions& options,
                                     const RunOptions& run);

}  // namespace palate
