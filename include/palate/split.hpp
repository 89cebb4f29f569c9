// Splitting ratings into parts. Implemented in src/evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "palate/ratings.hpp"

#pragma GCC visibility push(default)
namespace palate {

enum class SplitRule {
  random_per_user,  ///< a share of every user's interactions
  leave_last_out,   ///< every user's newest interaction (needs times)
  global_time,      ///< the newest share of all interactions (needs times)
};

struct SplitOptions {
  SplitRule rule = SplitRule::random_per_user;
  double test = 0.2;  ///< share; for leave_last_out the number per user, at least 1
  /// Further share of the whole, taken from what is left of train (0.2 and 0.1 give 70/10/20); for
  /// leave_last_out a number per user. 0: none.
  double validation = 0.0;
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
/// A user's interactions are dealt evenly over the folds; one with a single interaction has no
/// train part in the fold that tests it. k is at least 2 and at most the number of interactions.
[[nodiscard]] std::vector<Split> folds(const Ratings& ratings, std::size_t k,
                                       std::uint64_t seed = 1);

}  // namespace palate
#pragma GCC visibility pop
