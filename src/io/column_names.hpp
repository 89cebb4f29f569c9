// The names that columns usually go by.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "palate/io.hpp"

namespace palate::io {

using Role = ColumnRole;

/// How well the name fits the role: 0 not at all, else the higher the better. Case and anything
/// but letters and digits do not matter: "Beer ID", "beer_id" and "beerId" are the same.
[[nodiscard]] int fit(Role role, std::string_view name);

/// Whether the name says that the numbers below it are not ratings: ids, counts, prices, years.
[[nodiscard]] bool names_no_rating(std::string_view name);

/// The candidate nearest to `name` by letters exchanged, added or left out, or "" if none is near.
[[nodiscard]] std::string nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace palate::io
