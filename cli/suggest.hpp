// "Did you mean": the names nearest to one that is not known.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "palate/ratings.hpp"

namespace palate::cli {

/// Up to three of `count` names (given by `name_of`) that differ from `wrong` by a few letters, or
/// begin with it; nearest first, without regard to case.
[[nodiscard]] std::vector<std::string> nearest(
    std::string_view wrong, std::size_t count,
    const std::function<std::string_view(std::size_t)>& name_of);
[[nodiscard]] std::vector<std::string> nearest(std::string_view wrong,
                                               const std::vector<std::string>& names);

/// "did you mean 'a' or 'b'?", or "" for none.
[[nodiscard]] std::string did_you_mean(const std::vector<std::string>& names);

/// The index of an id. Throws Error{not_found} with the nearest ids as a hint.
std::uint32_t require_user(const Ratings& ratings, std::string_view id);
std::uint32_t require_item(const Ratings& ratings, std::string_view id);
std::size_t require_criterion(const Ratings& ratings, std::string_view name,
                              std::string_view option);

}  // namespace palate::cli
