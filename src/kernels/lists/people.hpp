// Many people at once on strips of a graph: a strip is laid out once, in cache, and serves all of
// them.
//
// Wide strips have 32 columns. What someone rated in one tile of rows is a list of entries: rows
// counted from the beginning of the tile, and a factor for each. Those of person p are
// [starts[p], starts[p + 1]) of the lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/kernel.hpp"

namespace palate::kernels {

inline constexpr std::size_t wide_strip = 32;
/// Highest factor of a row of codes: 32 times two products with the largest codes
/// (kernels/graph/lay.hpp) are one sum of 32 bits.
inline constexpr std::int32_t largest_factor = 4095;

struct Entries {
  std::span<const std::uint32_t> starts;  ///< one more than people
  const std::uint16_t* rows = nullptr;

  [[nodiscard]] std::size_t people() const noexcept { return starts.size() - 1; }
};

/// For the n-th of those `who` are asked for, p = who[n]: sums[n * 32 + c] += sum over their
/// entries k of low(x[k]) low(strip[row_k * 32 + c]) + high(x[k]) high(strip[...]), low and high
/// being the lower and upper 16 bits, signed. `fresh`: instead of adding to what is there.
extern Kernel<void(const std::uint32_t* strip, const Entries& entries,
                   std::span<const std::uint32_t> who, const std::uint32_t* x, float* sums,
                   bool fresh)>
    add_codes;

/// Row j of matrix m stands at strip[(j * matrices + m) * 32]. For person p and matrix m, y =
/// left[p * stride + m * 16] gets x[k * matrices + m] times the first 16 columns of row_k of each
/// entry k, one after the other by fused multiply-adds, and `right` the last 16. `fresh`: instead
/// of adding to what is there.
extern Kernel<void(const float* strip, std::size_t matrices, const Entries& entries, const float* x,
                   float* left, float* right, std::size_t stride, bool fresh)>
    add_wide_rows;

/// With p = who[n]: out[n * 16 + c] = unit[n] * column_unit[c] * sums[n * 32 + c] + sum_r
/// z[p * count + r] * rows[r * 16 + c].
extern Kernel<void(const float* sums, const float* unit, const float* column_unit,
                   const float* rows, std::size_t count, const float* z,
                   std::span<const std::uint32_t> who, float* out)>
    estimate_people;

/// With p = who[n]: out[n * 16 + c] += sum over the terms of factor[n] * values[p * stride + c].
struct PeopleTerm {
  const float* factor = nullptr;
  const float* values = nullptr;
  std::size_t stride = 0;
};
extern Kernel<void(std::span<const PeopleTerm> terms, std::span<const std::uint32_t> who,
                   float* out)>
    add_terms;

/// Those of `count` people whose bound, kept as the upper 16 bits of a float, reaches least[p]:
/// who, ascending, with room for 16 more than there are people; returns how many they are.
extern Kernel<std::size_t(const std::uint16_t* bound, const float* least, std::size_t count,
                          std::uint32_t* who)>
    find_people;

/// Of those who are asked for, p = who[n], they stay for whom unit[p] times the largest
/// column_unit[c] * sums[n * 32 + c] and the bound of p together reach least[p]; they and their
/// sums move up. Returns how many they are.
struct PeopleLimits {
  const float* column_unit = nullptr;
  const float* unit = nullptr;
  const std::uint16_t* bound = nullptr;
  const float* least = nullptr;
};
extern Kernel<std::size_t(const PeopleLimits& limits, std::span<std::uint32_t> who, float* sums)>
    keep_people;

/// With first = unit[p] * column_unit[c] * sums[p * 32 + c] and both = first + second[p * 16 + c],
/// for the first 16 columns of everybody: out[c * stride + p] becomes the upper 16 bits of both +
/// rounding * (|both| + 2 * first) + room[p], rounded up. Arrays of people have room for a multiple
/// of 16 of them.
struct PeopleBounds {
  const float* sums = nullptr;
  const float* unit = nullptr;
  const float* column_unit = nullptr;
  const float* second = nullptr;
  const float* room = nullptr;
  float rounding = 0;
};
extern Kernel<void(const PeopleBounds& in, std::size_t people, std::uint16_t* out,
                   std::size_t stride)>
    bound_people;

/// Bit c of lanes[p] is set where values[p * 16 + c] >= least[p].
extern Kernel<void(const float* values, const float* least, std::size_t people,
                   std::uint16_t* lanes)>
    lanes_at_least;

}  // namespace palate::kernels
