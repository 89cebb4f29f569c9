// Splitting ratings into parts. Implemented in src/evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "palate/ratings.hpp"

namespace palate {

enum class SplitRule {
  random_per_user,  ///< a share of every user's interactions
  leave_last_out,   ///< every user's newest interaction (needs times)
  global_time,      ///< the newest share of all interactions (needs times)
};

struct SplitOptions {
  SplitRule rule = SplitRule::random_per_user;
  double test = 0.2;        ///< share; for leave_last_out the number per user, at least 1
  double validation = 0.0;  ///< further share, taken from what is left of train; 0: none
  /// The same seed gives the same parts on every machine; whether a pair goes to test depends only
  /// on the seed, the ids and the user's other pairs, not on the order of rows.
  std::uint64_t seed = 1;
};

struct Split {
  Ratings train = {};
  Ratings test = {};
  std::optional<Ratings> validation = {};
};

/// A user always keeps at least one interaction in train (rules per user).
[[nodiscard]] Split split(const Ratings& ratings, const SplitOptions& options = {});

/// k disjoint test parts that together cover every interaction, each with its train part.
[[nodiscard]] std::vector<Split> folds(const Ratings& ratings, std::size_t k,
                                       std::uint64_t seed = 1);

}  // namespace palate
