// Who rated what, and how highly: all that weights between items are learned from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "palate/ratings.hpp"

namespace palate {

/// Ratings as levels between 0 and 1, person after person.
struct Levels {
  std::size_t items = 0;
  std::vector<std::uint64_t> offsets = {0};  ///< people + 1
  std::vector<std::uint32_t> columns;        ///< items, ascending per person
  std::vector<float> values;

  [[nodiscard]] std::size_t people() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::size_t count(std::size_t person) const noexcept {
    return offsets[person + 1] - offsets[person];
  }
  /// How many ratings each item has.
  [[nodiscard]] std::vector<std::uint32_t> raters() const;
};

/// The overall rating over the largest there is; where only criteria were rated, the mean of
/// theirs.
[[nodiscard]] float level(const UserRatings& row, std::size_t k,
                          std::span<const Criterion> criteria) noexcept;
[[nodiscard]] Levels levels_of(const Ratings& ratings);

}  // namespace palate
