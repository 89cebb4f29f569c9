// The inner loop of building a dense item graph: pairs of items that one user rated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernel.hpp"

namespace palate::kernels {

/// One rater of an item, and where their rating of it stands.
struct Rater {
  std::uint32_t user = 0;
  std::uint32_t at = 0;
};

/// What a user rated: the group of 16 that it begins with, and how many items they are.
struct RatedList {
  std::uint32_t group = 0;
  std::uint32_t count = 0;
};

/// For each rater u of an item i, and each item j that does not stand before i in lists[u]: sums[j]
/// += sum_c x_uci x_ucj. Ratings stand in groups of 16 items, in each group criterion by criterion:
/// the one at place k has the item items[k], and of criterion c the value values[(k / 16 * width +
/// c) * 16 + k % 16]. No user has an item twice. The sums run over the raters in order, and for
/// each pair over the criteria in order.
extern Kernel<void(std::span<const Rater> raters, const RatedList* lists, const float* values,
                   std::size_t width, const std::uint32_t* items, float* sums)>
    add_user_pairs;

/// The same with ratings as small whole numbers, a third of the bytes: sums[j] += sum_c
/// weights[user * width + c] * codes_ci * codes_cj, codes standing as values do.
extern Kernel<void(std::span<const Rater> raters, const RatedList* lists, const std::uint8_t* codes,
                   const float* weights, std::size_t width, const std::uint16_t* items,
                   float* sums)>
    add_coded_pairs;

}  // namespace palate::kernels
