#include "api/profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "palate/error.hpp"

namespace palate {

ProfileRow to_row(const Profile& profile, const RatingsView& ratings) {
  const auto criteria = ratings.criteria();
  const std::size_t width = criteria.size();
  std::map<std::uint32_t, const ProfileRating*> by_item;
  for (const ProfileRating& rating : profile) {
    const auto item = ratings.find_item(rating.item);
    if (!item) {
      throw Error(ErrorCode::not_found, "the item '" + rating.item + "' is not known",
                  {.field = "profile"});
    }
    if (!by_item.emplace(*item, &rating).second) {
      throw Error(ErrorCode::bad_input, "the item '" + rating.item + "' is rated twice",
                  {.field = "profile"});
    }
  }
  ProfileRow row;
  for (const auto& [item, rating] : by_item) {
    std::vector<float> values(width, 0.0F);
    std::uint32_t present = 0;
    for (const auto& [name, value] : rating->values) {
      const auto c = find_criterion(criteria, name);
      if (!c) {
        throw Error(ErrorCode::not_found, "there is no criterion '" + name + "'",
                    {.field = "profile"});
      }
      if (!std::isfinite(value) || value < 0) {
        throw Error(ErrorCode::bad_input,
                    "the rating of '" + rating->item + "' on " + name +
                        " must be a finite number that is not negative",
                    {.field = "profile"});
      }
      values[*c] = value;
      present |= 1U << *c;
    }
    if (present == 0) continue;  // named, but not rated
    row.items.push_back(item);
    row.values.insert(row.values.end(), values.begin(), values.end());
    row.present.push_back(present);
  }
  return row;
}

}  // namespace palate
