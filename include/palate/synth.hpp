// Realistic made-up ratings for demos, tests and benchmarks. Implemented in src/synth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "palate/ratings.hpp"

#pragma GCC visibility push(default)
namespace palate {

struct SynthOptions {
  std::size_t users = 2000;
  std::size_t items = 600;
  double ratings_per_user = 25;  ///< mean; the number per user is skewed
  /// Criteria besides overall.
  std::vector<std::string> criteria = {"food", "service", "ambience", "value"};
  double missing = 0.15;          ///< share of criterion ratings left out, uneven over criteria
  double popularity_skew = 0.8;   ///< 0: uniform items; about 1: Zipf-like
  std::size_t taste_groups = 12;  ///< latent tastes
  double noise = 0.6;             ///< standard deviation of a rating around what the taste says
  bool titles = true;
  bool times = true;
  std::uint64_t seed = 1;
};

[[nodiscard]] Ratings synthesize(const SynthOptions& options = {});

}  // namespace palate
#pragma GCC visibility pop
