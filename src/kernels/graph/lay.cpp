#include "kernels/graph/lay.hpp"

#include <array>
#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/lay.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/graph/packed-inl.hpp"
#include "kernels/graph/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX2
// 8 rows by 8 columns, in registers.
HWY_INLINE void Transpose8(__m256 (&v)[8]) {
  __m256 pairs[8];
  for (std::size_t k = 0; k < 8; k += 2) {
    pairs[k] = _mm256_unpacklo_ps(v[k], v[k + 1]);
    pairs[k + 1] = _mm256_unpackhi_ps(v[k], v[k + 1]);
  }
  __m256 fours[8];
  for (std::size_t k = 0; k < 8; k += 4) {
    fours[k] = _mm256_shuffle_ps(pairs[k], pairs[k + 2], 0x44);
    fours[k + 1] = _mm256_shuffle_ps(pairs[k], pairs[k + 2], 0xEE);
    fours[k + 2] = _mm256_shuffle_ps(pairs[k + 1], pairs[k + 3], 0x44);
    fours[k + 3] = _mm256_shuffle_ps(pairs[k + 1], pairs[k + 3], 0xEE);
  }
  for (std::size_t k = 0; k < 4; ++k) {
    v[k] = _mm256_permute2f128_ps(fours[k], fours[k + 4], 0x20);
    v[k + 4] = _mm256_permute2f128_ps(fours[k], fours[k + 4], 0x31);
  }
}

// Calls visit(lane, column, logs) with the logarithms of each column for the rows from `lane` on,
// as many as a vector holds, column by column and lane by lane; and end_block(block) after a block.
template <class Visit, class EndBlock>
HWY_INLINE void ForColumns(std::span<const PackedRow> rows, std::size_t blocks, const Visit& visit,
                           const EndBlock& end_block) {
  constexpr std::array<std::uint16_t, 1> no_masks{};
  constexpr std::array<float, block_width> no_logs{};
  const auto absent = hn::Set(Lanes(), no_link);
  std::array<const std::uint16_t*, block_width> masks{};
  std::array<const float*, block_width> next{};
  std::array<std::size_t, block_width> step{};  // rows that are not there have one mask, of nothing
  for (std::size_t r = 0; r < block_width; ++r) {
    const bool there = r < rows.size();
    masks[r] = there ? rows[r].masks : no_masks.data();
    next[r] = there ? rows[r].logs : no_logs.data();
    step[r] = there ? 1 : 0;
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t half = 0; half < block_width; half += 8) {
      const auto take = [&](std::size_t lane, __m256(&v)[8]) HWY_ATTR {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < 8; ++r) {
          const std::uint32_t bits = masks[lane + r][b * step[lane + r]] >> half & 0xFFU;
          v[r] = Expand8(bits, next[lane + r], absent).raw;
          next[lane + r] += std::popcount(bits);
        }
        Transpose8(v);
      };
      __m256 upper[8];
      __m256 lower[8];
      take(0, upper);
      take(8, lower);
#pragma GCC unroll 8
      for (std::size_t j = 0; j < 8; ++j) {
        const std::size_t column = b * block_width + half + j;
        visit(0, column, Vector{upper[j]});
        visit(8, column, Vector{lower[j]});
      }
    }
    end_block(b);
  }
}
#else
// Blocks that are transposed before their powers are taken: by then the small stores of the
// transposition no longer delay the wide loads.
constexpr std::size_t blocks_at_once = 8;

template <class Visit, class EndBlock>
HWY_INLINE void ForColumns(std::span<const PackedRow> rows, std::size_t blocks, const Visit& visit,
                           const EndBlock& end_block) {
  HWY_ALIGN float by_row[block_width * block_width];
  HWY_ALIGN float by_column[blocks_at_once * block_width * block_width];
  const Lanes d;
  const auto absent = hn::Set(d, no_link);
  std::array<const float*, block_width> next{};
  for (std::size_t r = 0; r < rows.size(); ++r) next[r] = rows[r].logs;
  for (std::size_t k = 0; k < block_width * block_width; k += hn::Lanes(d)) {
    hn::Store(absent, d, by_row + k);
  }
  for (std::size_t b = 0; b < blocks; b += blocks_at_once) {
    const std::size_t some = blocks - b < blocks_at_once ? blocks - b : blocks_at_once;
    for (std::size_t k = 0; k < some; ++k) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::uint32_t mask = rows[r].masks[b + k];
        float* to = by_row + r * block_width;
        Expand(mask, next[r], absent,
               [&](std::size_t lane, Vector log) { hn::Store(log, d, to + lane); });
        next[r] += std::popcount(mask);
      }
      Transpose(by_row, by_column + k * block_width * block_width);
    }
    for (std::size_t j = 0; j < some * block_width; ++j) {
      for (std::size_t lane = 0; lane < block_width; lane += hn::Lanes(d)) {
        visit(lane, b * block_width + j, hn::Load(d, by_column + j * block_width + lane));
      }
      if (j % block_width == block_width - 1) end_block(b + j / block_width);
    }
  }
}
#endif

constexpr auto nothing = [](std::size_t) {};

void LayStrip(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
              std::span<const StripOutput> outputs, std::size_t stride) {
  const Lanes d;
  HWY_ALIGN float shifts[block_width] = {};
  for (std::size_t r = 0; r < rows.size(); ++r) shifts[r] = shift[r];
  const auto visit = [&](std::size_t lane, std::size_t column, Vector log) HWY_ATTR {
    const auto shifted = hn::Add(log, hn::Load(d, shifts + lane));
    for (const StripOutput& one : outputs) {
      hn::StoreU(PowerOrZero(shifted, hn::Set(d, one.power)), d, one.out + column * stride + lane);
    }
  };
  ForColumns(rows, blocks, visit, nothing);
}

using Words = hn::VFromD<hn::RebindToUnsigned<Lanes>>;

// Rounded up; just below the logarithm of the largest code.
constexpr float highest_log = 12.9998F;

HWY_INLINE Words Code(Vector log, Vector power, Vector log_factor) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const auto value = Exp2(d, hn::MulAdd(log, power, log_factor), highest_log);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return Words{_mm512_cvt_roundps_epu32(value.raw, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
#elif HWY_TARGET == HWY_AVX2  // without Highway's care for what is too large for an integer
  return Words{_mm256_cvtps_epi32(_mm256_ceil_ps(value.raw))};
#else
  const hn::RebindToSigned<Lanes> integers;
  return hn::BitCast(words, hn::ConvertTo(integers, hn::Ceil(value)));
#endif
}

template <bool Both>
HWY_INLINE Words Codes(Vector log, Vector low_power, Vector low_factor, Vector high_power,
                       Vector high_factor) {
  const Words low = Code(log, low_power, low_factor);
  if constexpr (!Both) return low;
  return hn::Or(low, hn::ShiftLeft<16>(Code(log, high_power, high_factor)));
}

template <bool Both>
HWY_INLINE void LaySome(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                        const float* column_shift, const CodedPower& low, const CodedPower& high,
                        std::uint32_t* out, std::size_t stride) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  HWY_ALIGN float shifts[block_width] = {};
  HWY_ALIGN float low_factors[block_width] = {};
  HWY_ALIGN float high_factors[block_width] = {};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    shifts[r] = shift[r];
    low_factors[r] = low.log_factor[r];
    if constexpr (Both) high_factors[r] = high.log_factor[r];
  }
  const auto low_power = hn::Set(d, low.power);
  const auto high_power = hn::Set(d, high.power);
  const auto visit = [&](std::size_t lane, std::size_t column, Vector log) HWY_ATTR {
    const auto shifted =
        hn::Add(log, hn::Add(hn::Load(d, shifts + lane), hn::Set(d, column_shift[column])));
    hn::StoreU(Codes<Both>(shifted, low_power, hn::Load(d, low_factors + lane), high_power,
                           hn::Load(d, high_factors + lane)),
               words, out + column * stride + lane);
  };
  ForColumns(rows, blocks, visit, nothing);
}

void LayCodes(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
              const float* column_shift, const CodedPower& low, const CodedPower& high,
              std::uint32_t* out, std::size_t stride) {
  if (high.power != 0) {
    LaySome<true>(rows, blocks, shift, column_shift, low, high, out, stride);
  } else {
    LaySome<false>(rows, blocks, shift, column_shift, low, high, out, stride);
  }
}

void LargestLogs(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                 std::size_t first, float* out) {
  const Lanes d;
  const auto absent = hn::Set(d, no_link);
  for (std::size_t k = 0; k < blocks * block_width; k += hn::Lanes(d)) {
    hn::StoreU(absent, d, out + k);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto own = hn::Set(d, shift[r]);
    const float* logs = rows[r].logs;
    const std::size_t mine = first + r;
    const float kept = mine < blocks * block_width ? out[mine] : 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint32_t mask = rows[r].masks[b];
      if (mask == 0) continue;
      Expand(mask, logs, absent, [&](std::size_t lane, Vector log) {
        float* to = out + b * block_width + lane;
        hn::StoreU(hn::Max(hn::LoadU(d, to), hn::Add(log, own)), d, to);
      });
      logs += std::popcount(mask);
    }
    if (mine < blocks * block_width) out[mine] = kept;
  }
}

void TurnRows(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
              const TurnedRows& out) {
  const Lanes d;
  constexpr std::size_t n = hn::MaxLanes(d);
  const auto none = hn::Set(d, no_link);
  const auto least = hn::Set(d, no_link / 2);  // links are above it
  Vector largest[block_width / n];
  for (Vector& some : largest) some = none;
  float* to = nullptr;
  std::uint32_t mask = 0;
  const auto visit = [&](std::size_t lane, std::size_t column, Vector log) HWY_ATTR {
    if (lane == 0) {
      to = out.to[column];
      mask = 0;
      __builtin_prefetch(to + 2 * block_width, 1);  // lines of many columns are written in turn
    }
    const auto there = hn::Gt(log, least);
    const std::uint32_t bits = Bits(there);
    const auto together = Together(log, there, bits);
    const auto links = static_cast<std::size_t>(std::popcount(bits));
    if (out.ends[column] - to >= static_cast<std::ptrdiff_t>(n)) {
      hn::StoreU(together, d, to);
    } else {
      HWY_ALIGN float last[block_width];
      hn::Store(together, d, last);
      std::memcpy(to, last, links * sizeof(float));
    }
    to += links;
    mask |= bits << lane;
    if (lane + n == block_width) {
      out.to[column] = to;
      out.masks[column * out.stride] = static_cast<std::uint16_t>(mask);
    }
    Vector& most = largest[lane / n];
    most = hn::Max(most, hn::Add(log, hn::Set(d, shift[column])));
  };
  const auto end_block = [&](std::size_t block) HWY_ATTR {
    if (block % 2 == 0 && block + 1 < blocks) return;
    for (std::size_t lane = 0; lane < block_width; lane += n) {
      float* const top = out.tops + block / 2 * out.tops_stride + lane;
      hn::StoreU(hn::Max(hn::LoadU(d, top), Exp2(d, largest[lane / n])), d, top);
      largest[lane / n] = none;
    }
  };
  ForColumns(rows, blocks, visit, end_block);
}

void CodeLogs(const float* logs, std::size_t blocks, const float* column_shift,
              const CodedPower& low, const CodedPower& high, std::uint32_t* out) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const auto low_power = hn::Set(d, low.power);
  const auto high_power = hn::Set(d, high.power);
  const auto low_factor = hn::Set(d, low.log_factor[0]);
  const auto high_factor = hn::Set(d, high.log_factor[0]);
  for (std::size_t k = 0; k < blocks * block_width; k += hn::Lanes(d)) {
    const auto log = hn::Add(hn::LoadU(d, logs + k), hn::LoadU(d, column_shift + k));
    const auto both = high.power != 0
                          ? Codes<true>(log, low_power, low_factor, high_power, high_factor)
                          : Codes<false>(log, low_power, low_factor, high_power, high_factor);
    hn::StoreU(both, words, out + k);
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(lay_strip, LayStrip);
PALATE_KERNEL(lay_codes, LayCodes);
PALATE_KERNEL(turn_rows, TurnRows);
PALATE_KERNEL(largest_logs, LargestLogs);
PALATE_KERNEL(code_logs, CodeLogs);

}  // namespace palate::kernels
#endif
