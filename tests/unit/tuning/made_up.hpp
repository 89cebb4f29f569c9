// Made-up ratings that searches are tried on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "palate/palate.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"

namespace palate::testing {

inline const Ratings& made_up() {
  static const Ratings ratings =
      synthesize({.users = 400, .items = 120, .ratings_per_user = 20, .seed = 3});
  return ratings;
}

/// Other ratings than those, each split in two.
inline std::vector<Split> three_worlds() {
  std::vector<Split> out;
  for (const std::uint64_t seed : {11, 12, 13}) {
    out.push_back(
        split(synthesize({.users = 500, .items = 120, .ratings_per_user = 20, .seed = seed}),
              {.seed = seed}));
  }
  return out;
}

/// What a search finds on them by default.
template <auto search>
const Choice& found_by() {
  static const Choice choice = search(made_up(), {}, {});
  return choice;
}

}  // namespace palate::testing
