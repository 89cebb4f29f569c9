// Small random ratings for property tests: missing criteria, users and items without ratings,
// uneven rows.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "palate/ratings.hpp"

namespace palate::testing {

struct RandomShape {
  std::size_t users = 30;
  std::size_t items = 20;
  std::size_t criteria = 4;  // overall included
  double density = 0.25;
  double missing = 0.2;
  float unit = 0.5F;  // ratings are 2 to 10 of it
};

struct Row {
  std::string user, item;
  std::vector<float> values;  // NaN where absent
};

inline std::vector<std::string> criterion_names(std::size_t count) {
  std::vector<std::string> names = {"overall"};
  while (names.size() < count) names.push_back("c" + std::to_string(names.size()));
  return names;
}

inline std::vector<Row> random_rows(const RandomShape& shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<Row> rows;
  for (std::size_t u = 0; u < shape.users; ++u) {
    const double mine = shape.density * 2 * random.uniform();
    for (std::size_t i = 0; i < shape.items; ++i) {
      if (random.uniform() >= mine) continue;
      Row row{"user " + std::to_string(u), "item/" + std::to_string(i), {}};
      bool any = false;
      for (std::size_t c = 0; c < shape.criteria; ++c) {
        const bool absent = random.uniform() < shape.missing;
        row.values.push_back(absent ? std::numeric_limits<float>::quiet_NaN()
                                    : shape.unit * static_cast<float>(2 + random.below(9)));
        any = any || !absent;
      }
      if (any) rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// Every user and item of the shape exists, rated or not.
inline Ratings to_ratings(const std::vector<Row>& rows, const RandomShape& shape) {
  RatingsBuilder builder(criterion_names(shape.criteria));
  for (std::size_t u = 0; u < shape.users; ++u) builder.add_user("user " + std::to_string(u));
  for (std::size_t i = 0; i < shape.items; ++i) builder.add_item("item/" + std::to_string(i));
  for (const Row& row : rows) builder.add(row.user, row.item, row.values);
  return builder.build();
}

inline Ratings random_ratings(const RandomShape& shape, std::uint64_t seed) {
  return to_ratings(random_rows(shape, seed), shape);
}

}  // namespace palate::testing
