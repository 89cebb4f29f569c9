// How much of what everybody's lists learn may come from one person.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "palate/ratings.hpp"

namespace palate {

/// One person links every pair of items that they rated: twice the ratings, four times the memory.
/// Nobody rates so much by hand.
inline constexpr std::size_t most_learned_of_one = 10'000;

/// Which of someone's `count` ratings are learned from, ascending: all, or `most` of them, those
/// whose items have the least hashes. So the choice hangs on which items there are and on nothing
/// else, and one more rating changes at most one of them.
[[nodiscard]] std::vector<std::uint32_t> learned_positions(
    std::size_t count, const std::function<std::string_view(std::size_t)>& item_id,
    std::size_t most);

/// The same ratings where nobody has more than `most`; else without the rest of theirs, over the
/// same catalogue.
[[nodiscard]] Ratings learned_ratings(const Ratings& all, std::size_t most = most_learned_of_one);

}  // namespace palate
