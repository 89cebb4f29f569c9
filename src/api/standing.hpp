// Where an item stands among all that a person has not rated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/recommender.hpp"

namespace palate {

/// Who stands in line for a person: all items that are known but those rated overall.
struct Line {
  const Recommender& recommender;
  Query query;
  std::size_t known = 0;                    ///< items
  std::span<const std::uint8_t> gone = {};  ///< one flag per item, 0 if it is gone; empty: none is
};

/// The matches (Recommended::match) of the first `shown` items of a list. `whole`: the list is that
/// of all items, nothing being denied, so that it says itself who stands above whom; it may then
/// have one more item, which tells whether the last one has its equals further down.
[[nodiscard]] std::vector<double> matches(const Line& line, std::span<const ScoredItem> list,
                                          std::size_t shown, bool whole);

/// The match of any item: by the list where it is near the top, else by the scores of all.
[[nodiscard]] double match_of(const Line& line, std::uint32_t item);

}  // namespace palate
