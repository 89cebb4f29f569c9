// Rows of a graph that has many of its links, packed: one bit per column says which links are
// there, and the logarithms of those stand one after the other. From them any power of the row is
// one exponential away, without a logarithm and without a stored copy.
//
// Columns come in blocks of 16; a row of n columns has masks for (n + 15) / 16 blocks. Packed
// values may be read, not used, up to 16 floats past their end. `shift` is added to every logarithm
// before the power is taken: it carries the normalisation of the columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block.hpp"
#include "kernels/kernel.hpp"

namespace palate::kernels {

struct PackedRow {
  const std::uint16_t* masks = nullptr;
  const float* logs = nullptr;  ///< of base 2
};

/// Packs `sums` (whole blocks; what is not above 0 is no link) and clears them: masks, and at
/// `values`, with room for a block more, those that are there; returns how many. tops[j] becomes
/// factor * sums[j] where that is larger, and counts[j] one more where there is a link.
extern Kernel<std::size_t(std::span<float> sums, float factor, float* tops, std::uint32_t* counts,
                          std::uint16_t* masks, float* values)>
    pack_row;

/// out[k] = log2(values[k]), or -1e30 where that is not above 0. Both may be the same. `far`: what
/// is written is not read soon, and need not go to the caches if `out` is at a border of 64 bytes.
extern Kernel<void(std::span<const float> values, float* out, bool far)> logs_of;

/// For each term: out[j] += x * 2^(power (log_j + shift_j)) for the links of a row; `blocks`
/// blocks.
struct PowerTerm {
  float power = 1;
  float x = 0;
  float* out = nullptr;
};
extern Kernel<void(const PackedRow& row, std::size_t blocks, const float* shift,
                   std::span<const PowerTerm> terms)>
    add_powers;
/// Of two rows, the same as one row after the other, to the bit. The terms of the next row have
/// powers and places of the first.
extern Kernel<void(const PackedRow& row, const PackedRow& next, std::size_t blocks,
                   const float* shift, std::span<const PowerTerm> terms,
                   const PowerTerm* next_terms)>
    add_powers_of_two;

/// out[j] = 2^(power (log_j + shift_j)), 0 where there is no link. Returns how many links there
/// are.
extern Kernel<std::size_t(const PackedRow& row, std::size_t blocks, const float* shift, float power,
                          float* out)>
    unpack_power;

/// out[k] = 2^(power log_k) for `count` packed values, and what follows up to a whole block.
extern Kernel<void(const float* logs, std::size_t count, float power, float* out)> power_of_logs;

/// How many links the masks of a row show.
extern Kernel<std::size_t(const std::uint16_t* masks, std::size_t blocks)> count_links;

/// The columns that have a link, ascending; returns how many. There is room for a whole block more.
extern Kernel<std::size_t(const std::uint16_t* masks, std::size_t blocks, std::uint32_t* columns)>
    linked_columns;

/// A strip of 16 columns that is multiplied by powers of some rows, its two halves by one each.
struct StripTerm {
  float power = 1;
  float next_power = 1;          ///< of lanes 8 to 15
  const float* strip = nullptr;  ///< 16 floats for each column of the rows
  float* out = nullptr;          ///< 16 floats for each row
};
/// At most so many blocks at once: their part of a strip stays in the first-level cache.
inline constexpr std::size_t most_tile_blocks = 16;
/// Of each term, out[r * 16 + lane] += sum over the links (r, j) of the first `blocks` blocks of
/// the rows of 2^(power log) * strip[j * 16 + lane]. The rows then begin after these blocks.
extern Kernel<void(std::span<PackedRow> rows, std::size_t blocks, std::span<const StripTerm> terms)>
    multiply_tile;

/// out[lane] += sum_k values[k] * strip[columns[k] * 16 + lane] for 16 lanes.
extern Kernel<void(std::span<const std::uint32_t> columns, const float* values, const float* strip,
                   float* out)>
    multiply_links;

}  // namespace palate::kernels
