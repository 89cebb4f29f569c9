// The ratings of someone who is not in the data, brought into the form of a user's row.
#pragma once

#include <cstdint>
#include <vector>

#include "api/ratings_view.hpp"
#include "palate/model.hpp"

namespace palate {

struct ProfileRow {
  std::vector<std::uint32_t> items;
  std::vector<float> values;
  std::vector<std::uint32_t> present;

  [[nodiscard]] UserRatings view() const noexcept { return {items, values, present, {}}; }
};

/// Throws Error{not_found} for an unknown item or criterion, Error{bad_input} for an item rated
/// twice or a value that is negative or not finite.
[[nodiscard]] ProfileRow to_row(const Profile& profile, const RatingsView& ratings);

}  // namespace palate
