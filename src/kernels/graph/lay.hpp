// Packed rows laid side by side as strips (kernels/block.hpp): what was a
// row becomes a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/graph/packed_row.hpp"

namespace palate::kernels {

/// Up to 16 rows side by side: out[j * stride + r] = 2^(power (log_rj + shift_r)) for column j of
/// row r, and 0 for rows that are not there. One output per power.
struct StripOutput {
  float power = 1;
  float* out = nullptr;
};
extern Kernel<void(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                   std::span<const StripOutput> outputs, std::size_t stride)>
    lay_strip;

/// Two powers as codes: whole numbers that are no lower than factor_r 2^(power log2 P), with log2 P
/// = log_rj + shift_r + column_shift_j, and less than one higher; 0 where there is no link, and
/// about largest_code where it would be more.
struct CodedPower {
  float power = 1;
  const float* log_factor = nullptr;  ///< log2 of the factor of each of the 16 rows
};
inline constexpr std::int32_t largest_code = 8191;
/// Of column j and row r, out[j * stride + r] holds the code of the first power in its lower 16
/// bits, and that of the second above. A power of 0 has codes of 0.
extern Kernel<void(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                   const float* column_shift, const CodedPower& low, const CodedPower& high,
                   std::uint32_t* out, std::size_t stride)>
    lay_codes;

/// out[j] = the largest log_rj + shift_r of some rows, -1e30 where none has a link. Row r is that
/// of column first + r, which it says nothing of.
extern Kernel<void(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                   std::size_t first, float* out)>
    largest_logs;

/// Up to 16 rows as columns: of column j of some blocks, the logarithms of those rows that have it
/// go to where to[j] points, which moves on, and masks[j * stride] becomes which rows they are.
/// What lies from ends[j] on is left alone. Of the s-th two blocks, tops[s * tops_stride + r]
/// becomes the largest 2^(log_rj + shift_j) where that is larger.
struct TurnedRows {
  float** to = nullptr;
  float* const* ends = nullptr;
  std::uint16_t* masks = nullptr;
  std::size_t stride = 0;
  float* tops = nullptr;
  std::size_t tops_stride = 0;
};
extern Kernel<void(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                   const TurnedRows& out)>
    turn_rows;

/// The same codes of rows that are not packed: out[j] of log2 P = logs[j] + column_shift[j], the
/// factors being those of row 0.
extern Kernel<void(const float* logs, std::size_t blocks, const float* column_shift,
                   const CodedPower& low, const CodedPower& high, std::uint32_t* out)>
    code_logs;

}  // namespace palate::kernels
