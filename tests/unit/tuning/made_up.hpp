// Made-up ratings that searches are tried on.
#pragma once

#include "palate/palate.hpp"

namespace palate::testing {

inline const Ratings& made_up() {
  static const Ratings ratings =
      synthesize({.users = 400, .items = 120, .ratings_per_user = 20, .seed = 3});
  return ratings;
}

}  // namespace palate::testing
