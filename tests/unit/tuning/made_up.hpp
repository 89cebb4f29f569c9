// Made-up ratings that searches are tried on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "palate/palate.hpp"
#include "support/errors.hpp"
#include "support/random_ratings.hpp"

namespace palate::testing {

inline const Ratings& made_up() {
  static const Ratings ratings =
      synthesize({.users = 400, .items = 120, .ratings_per_user = 20, .seed = 3});
  return ratings;
}

/// What a search finds on them by default.
template <auto search>
const Choice& found_by() {
  static const Choice choice = search(made_up(), {}, {});
  return choice;
}

}  // namespace palate::testing
