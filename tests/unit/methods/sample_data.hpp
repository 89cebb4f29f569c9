// Ratings of every awkward kind that a recommender has to live with.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/random_ratings.hpp"

namespace palate::testing {

struct NamedRatings {
  std::string name;
  Ratings ratings;
};

inline Ratings with_gaps() {
  const RandomShape shape{.users = 40, .items = 30, .criteria = 4};
  std::vector<Row> rows = random_rows(shape, 17);
  RatingsBuilder builder(criterion_names(shape.criteria));
  builder.add_user("user without ratings");
  builder.add_item("item nobody rated");
  for (Row& row : rows) {
    row.values[2] = std::numeric_limits<float>::quiet_NaN();  // a criterion missing everywhere
    if (row.values[0] != row.values[0]) row.values[1] = 3;    // always some rating
    if (row.values[1] != row.values[1]) row.values[3] = 2;
    builder.add(row.user, row.item, row.values);
  }
  return builder.build();
}

// Many items look alike, so many scores are equal.
inline Ratings with_ties() {
  RatingsBuilder builder({"overall", "taste"});
  for (int u = 0; u < 20; ++u) {
    for (int i = 0; i < 24; ++i) {
      if ((u + i) % 4 == 0) {
        builder.add("u" + std::to_string(u), "i" + std::to_string(i), std::vector<float>{4, 4});
      }
    }
  }
  return builder.build();
}

inline Ratings with_zeros() {
  RatingsBuilder builder({"overall", "taste"});
  builder.add("only zeros", "a", std::vector<float>{0, 0});
  builder.add("u", "a", std::vector<float>{0, 5});
  builder.add("u", "b", std::vector<float>{3, 0});
  builder.add("v", "b", std::vector<float>{5, 1});
  builder.add("v", "c", std::vector<float>{1, 1});
  return builder.build();
}

inline std::vector<NamedRatings> sample_data() {
  return {{"ordinary", random_ratings({.users = 50, .items = 35}, 1)},
          {"dense", random_ratings({.users = 60, .items = 90, .criteria = 3, .density = 0.7}, 5)},
          {"sparse", random_ratings({.users = 90, .items = 300, .density = 0.008}, 6)},
          {"gaps", with_gaps()},
          {"ties", with_ties()},
          {"zeros", with_zeros()},
          {"one criterion", random_ratings({.criteria = 1, .missing = 0}, 2)},
          {"one user", random_ratings({.users = 1, .items = 12, .density = 0.5}, 4)},
          {"one item", random_ratings({.users = 12, .items = 1, .density = 0.5}, 3)}};
}

}  // namespace palate::testing
