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

/// Where an item's ratings stand among all, and where those of the same people begin and end.
struct RatersByItem {
  struct Rater {
    std::uint64_t place, begin, end;
  };
  std::vector<std::uint64_t> offsets;  ///< items + 1
  std::vector<Rater> raters;           ///< of one item in order of people

  [[nodiscard]] std::span<const Rater> of(std::size_t item) const noexcept {
    return std::span(raters).subspan(offsets[item], offsets[item + 1] - offsets[item]);
  }
};
[[nodiscard]] RatersByItem index_by_item(const Levels& levels);

/// n_u^-a (o / max)^g of every rating.
[[nodiscard]] std::vector<float> entries(const Levels& levels, double user_power,
                                         double level_power);

/// How many of all pairs of items share a rater, from a sample of items.
[[nodiscard]] double share_of_links(const Levels& levels);

}  // namespace palate
