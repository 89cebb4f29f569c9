// A small model that a user might have, and ways to look at its answers.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "palate/palate.hpp"
#include "support/random_ratings.hpp"

namespace palate::testing {

/// Four criteria ("overall", "c1", "c2", "c3"); "quiet" has no ratings, nobody rated "dusty".
inline Ratings sample_ratings() {
  const RandomShape shape{.users = 30, .items = 25};
  RatingsBuilder builder(criterion_names(shape.criteria));
  for (const Row& row : random_rows(shape, 42)) builder.add(row.user, row.item, row.values);
  builder.add_user("quiet");
  builder.add_item("dusty");
  builder.set_title("item/3", "Third Thing");
  return builder.build();
}

inline CaGf sample_settings() {
  return {.filters = {{"overall", outward(0.85)}, {"c1", linear(0.6)}, {"c2", inward(1.5)}}};
}

/// Every method with settings unlike the defaults.
inline std::vector<Method> sample_methods() {
  std::vector<Method> out = {Method("popularity"),
                             Method("item-knn", {{"neighbours", "7"}, {"shrink", "3"}})};
  for (const Setting& setting : describe_method("ca-gf").settings) {
    if (setting.name != "variant") continue;
    for (const std::string& name : setting.choices) {
      out.push_back(Method(sample_settings()).set("variant", name));
    }
  }
  return out;
}

inline bool same_list(const Recommendations& a, const Recommendations& b) {
  return a.basis == b.basis &&
         std::ranges::equal(a.items, b.items, [](const Recommended& x, const Recommended& y) {
           return x.index == y.index && x.item == y.item && x.title == y.title &&
                  x.score == y.score;
         });
}

inline std::vector<std::string> ids(const std::vector<Recommended>& items) {
  std::vector<std::string> out;
  out.reserve(items.size());
  for (const Recommended& one : items) out.push_back(one.item);
  return out;
}

inline std::vector<std::string> all_users(const Ratings& ratings) {
  std::vector<std::string> out;
  for (std::uint32_t u = 0; u < ratings.users(); ++u) out.emplace_back(ratings.user_id(u));
  return out;
}

inline std::vector<std::string> all_items(const Ratings& ratings) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < ratings.items(); ++i) out.emplace_back(ratings.item_id(i));
  return out;
}

/// What a user of the data would hand in, were they new.
inline Profile profile_of(const Ratings& ratings, std::string_view user) {
  const UserRatings row = ratings.of(*ratings.find_user(user));
  const std::size_t width = ratings.criteria().size();
  Profile out;
  for (std::size_t k = 0; k < row.size(); ++k) {
    ProfileRating one{std::string(ratings.item_id(row.items[k])), {}};
    for (std::size_t c = 0; c < width; ++c) {
      if ((row.present[k] >> c & 1U) != 0) {
        one.values.emplace_back(ratings.criteria()[c].name, row.values[k * width + c]);
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace palate::testing
