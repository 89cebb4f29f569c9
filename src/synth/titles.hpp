// Pleasant made-up names of places to eat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace palate {

/// One title per item, no two alike; items of one taste group share kinds of places, so that a list
/// of recommendations reads as one person's taste.
[[nodiscard]] std::vector<std::string> make_titles(const std::vector<std::uint32_t>& group_of_item,
                                                   std::uint64_t seed);

}  // namespace palate
