#include "kernels/graph/packed_row.hpp"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/packed_row.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernels/dense/dot-inl.hpp"
#include "kernels/graph/packed-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void LogsOf(std::span<const float> values, float* out, bool far) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const auto log = [&](Vector x) HWY_ATTR {
    const auto within = hn::Min(hn::Max(x, hn::Set(d, 1e-37F)), hn::Set(d, 1e38F));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Log2(d, within), hn::Set(d, no_link));
  };
  const float* const from = values.data();
  const std::size_t count = values.size();
  std::size_t k = 0;
  if (far && reinterpret_cast<std::uintptr_t>(out) % 64 == 0) {
    for (; k + n <= count; k += n) hn::Stream(log(hn::LoadU(d, from + k)), d, out + k);
    hwy::FlushStream();
  }
  for (; k + n <= count; k += n) hn::StoreU(log(hn::LoadU(d, from + k)), d, out + k);
  if (k < count) {
    HWY_ALIGN float last[block_width] = {};
    std::memcpy(last, from + k, (count - k) * sizeof(float));
    hn::Store(log(hn::Load(d, last)), d, last);
    std::memcpy(out + k, last, (count - k) * sizeof(float));
  }
}

// Without a branch for what has no link: where some have and some have not, it is guessed wrong.
std::size_t PackRow(std::span<float> all, float factor, float* tops, std::uint32_t* counts,
                    std::uint16_t* masks, float* values) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const std::size_t n = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto mine = hn::Set(d, factor);
  std::size_t count = 0;
  float* const sums = all.data();
  for (std::size_t from = 0; from < all.size(); from += block_width) {
    std::uint32_t mask = 0;
    for (std::size_t lane = 0; lane < block_width; lane += n) {
      const std::size_t at = from + lane;
      const auto x = hn::LoadU(d, sums + at);
      const auto there = hn::Gt(x, zero);
      const std::uint32_t some = Bits(there);
      mask |= some << lane;
      hn::StoreU(hn::Max(hn::LoadU(d, tops + at), hn::Mul(x, mine)), d, tops + at);
      hn::StoreU(Together(x, there, some), d, values + count);
      // A mask as a number is -1 where it holds.
      hn::StoreU(hn::Sub(hn::LoadU(words, counts + at),
                         hn::VecFromMask(words, hn::RebindMask(words, there))),
                 words, counts + at);
      count += static_cast<std::size_t>(std::popcount(some));
      hn::StoreU(zero, d, sums + at);
    }
    masks[from / block_width] = static_cast<std::uint16_t>(mask);
  }
  return count;
}

// So many terms at once that their factors stay in registers; of one row, or of two: then what is
// there is read and written once for both.
template <std::size_t Count, bool Two>
HWY_INLINE void AddSome(const PackedRow& row, const PackedRow& next, std::size_t blocks,
                        const float* shift, const PowerTerm* terms, const PowerTerm* next_terms) {
  const Lanes d;
  const auto absent = hn::Set(d, no_link);
  Vector power[Count];
  Vector x[Count];
  Vector y[Count];
  float* out[Count];
  for (std::size_t t = 0; t < Count; ++t) {
    power[t] = hn::Set(d, terms[t].power);
    x[t] = hn::Set(d, terms[t].x);
    y[t] = hn::Set(d, next_terms[t].x);
    out[t] = terms[t].out;
  }
  const float* logs = row.logs;
  const float* next_logs = next.logs;
  HWY_ALIGN float near[block_width];
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t mask = row.masks[b];
    const std::uint32_t next_mask = Two ? next.masks[b] : 0;
    if ((mask | next_mask) == 0) continue;
    if constexpr (Two) {
      Expand(next_mask, next_logs, absent,
             [&](std::size_t lane, Vector log) { hn::Store(log, d, near + lane); });
    }
    Expand(mask, logs, absent, [&](std::size_t lane, Vector log) {
      const std::size_t at = b * block_width + lane;
      const auto shifts = hn::LoadU(d, shift + at);
      const auto shifted = hn::Add(log, shifts);
      auto next_shifted = shifted;
      if constexpr (Two) next_shifted = hn::Add(hn::Load(d, near + lane), shifts);
      for (std::size_t t = 0; t < Count; ++t) {
        auto sum = hn::MulAdd(x[t], PowerOrZero(shifted, power[t]), hn::LoadU(d, out[t] + at));
        if constexpr (Two) sum = hn::MulAdd(y[t], PowerOrZero(next_shifted, power[t]), sum);
        hn::StoreU(sum, d, out[t] + at);
      }
    });
    logs += std::popcount(mask);
    next_logs += std::popcount(next_mask);
  }
}

template <bool Two>
HWY_INLINE void AddAll(const PackedRow& row, const PackedRow& next, std::size_t blocks,
                       const float* shift, std::span<const PowerTerm> terms,
                       const PowerTerm* next_terms) {
  const PowerTerm* some = terms.data();
  std::size_t count = terms.size();
  for (; count >= 3; count -= 3, some += 3, next_terms += 3) {
    AddSome<3, Two>(row, next, blocks, shift, some, next_terms);
  }
  if (count == 2) AddSome<2, Two>(row, next, blocks, shift, some, next_terms);
  if (count == 1) AddSome<1, Two>(row, next, blocks, shift, some, next_terms);
}

void AddPowers(const PackedRow& row, std::size_t blocks, const float* shift,
               std::span<const PowerTerm> terms) {
  AddAll<false>(row, row, blocks, shift, terms, terms.data());
}

void AddPowersOfTwo(const PackedRow& row, const PackedRow& next, std::size_t blocks,
                    const float* shift, std::span<const PowerTerm> terms,
                    const PowerTerm* next_terms) {
  AddAll<true>(row, next, blocks, shift, terms, next_terms);
}

std::size_t UnpackPower(const PackedRow& row, std::size_t blocks, const float* shift, float power,
                        float* out) {
  const Lanes d;
  const auto s = hn::Set(d, power);
  const auto absent = hn::Set(d, no_link);
  std::size_t count = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t mask = row.masks[b];
    Expand(mask, row.logs + count, absent, [&](std::size_t lane, Vector log) {
      const std::size_t at = b * block_width + lane;
      hn::StoreU(PowerOrZero(hn::Add(log, hn::LoadU(d, shift + at)), s), d, out + at);
    });
    count += static_cast<std::size_t>(std::popcount(mask));
  }
  return count;
}

void PowerOfLogs(const float* logs, std::size_t count, float power, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const auto s = hn::Set(d, power);
  for (std::size_t k = 0; k < count; k += n) {
    hn::StoreU(Exp2(d, hn::Mul(hn::LoadU(d, logs + k), s)), d, out + k);
  }
}

std::size_t CountLinks(const std::uint16_t* masks, std::size_t blocks) {
  std::size_t count = 0;
  std::size_t b = 0;
  for (; b + 4 <= blocks; b += 4) {
    std::uint64_t four = 0;
    std::memcpy(&four, masks + b, sizeof(four));
    count += static_cast<std::size_t>(std::popcount(four));
  }
  for (; b < blocks; ++b) count += static_cast<std::size_t>(std::popcount(masks[b]));
  return count;
}

#if HWY_TARGET == HWY_AVX2
std::size_t LinkedColumns(const std::uint16_t* masks, std::size_t blocks, std::uint32_t* columns) {
  auto first = _mm256_setzero_si256();
  const auto eight = _mm256_set1_epi32(8);
  std::uint32_t* to = columns;
  const auto take = [&](std::uint32_t bits) HWY_ATTR {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_add_epi32(first, NamedLanes(compress_table[bits])));
    to += std::popcount(bits);
    first = _mm256_add_epi32(first, eight);
  };
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t mask = masks[b];
    take(mask & 0xFFU);
    take(mask >> 8U);
  }
  return static_cast<std::size_t>(to - columns);
}
#else
std::size_t LinkedColumns(const std::uint16_t* masks, std::size_t blocks, std::uint32_t* columns) {
  const hn::CappedTag<std::uint32_t, block_width> d;
  const std::size_t n = hn::Lanes(d);
  // Kept, not made anew: GCC writes an Iota to memory number by number.
  const auto from_zero = hn::Iota(d, 0U);
  std::size_t count = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t lane = 0; lane < block_width; lane += n) {
      // Highway may read more bytes than it needs.
      std::uint64_t bits = static_cast<std::uint64_t>(masks[b]) >> lane;
      if (n < block_width) bits &= (std::uint64_t{1} << n) - 1;
      std::uint8_t bytes[8];
      std::memcpy(bytes, &bits, sizeof(bytes));
      const auto all =
          hn::Add(from_zero, hn::Set(d, static_cast<std::uint32_t>(b * block_width + lane)));
      hn::StoreU(hn::Compress(all, hn::LoadMaskBits(d, bytes)), d, columns + count);
      count += static_cast<std::size_t>(std::popcount(bits));
    }
  }
  return count;
}
#endif

void MultiplyLinks(std::span<const std::uint32_t> columns, const float* values, const float* strip,
                   float* out) {
  const Lanes d;
  for (std::size_t lane = 0; lane < block_width; lane += hn::Lanes(d)) {
    const auto add = [&](std::size_t k, auto& sum) HWY_ATTR {
      const float* row = strip + std::size_t{columns[k]} * block_width + lane;
      sum = hn::MulAdd(hn::Set(d, values[k]), hn::LoadU(d, row), sum);
    };
    hn::StoreU(SumInFours(d, hn::LoadU(d, out + lane), columns.size(), add), d, out + lane);
  }
}

// Two strips at once, so that columns are looked up once for both; or one, in the same order.
template <bool Two>
HWY_INLINE void MultiplySome(const std::uint32_t* columns, std::size_t count, const float* values,
                             const float* next_values, const StripTerm& term, const StripTerm& next,
                             std::size_t row) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t lane = 0; lane < block_width; lane += n) {
    const float* strip = term.strip + lane;
    const float* next_strip = next.strip + lane;
    float* out = term.out + row * block_width + lane;
    float* next_out = next.out + row * block_width + lane;
    auto even = hn::LoadU(d, out);
    auto odd = hn::Zero(d);
    auto next_even = hn::LoadU(d, next_out);
    auto next_odd = hn::Zero(d);
    const auto add = [&](std::size_t k, auto& sum, auto& next_sum) HWY_ATTR {
      const std::size_t at = std::size_t{columns[k]} * block_width;
      sum = hn::MulAdd(hn::Set(d, values[k]), hn::LoadU(d, strip + at), sum);
      if constexpr (Two) {
        next_sum = hn::MulAdd(hn::Set(d, next_values[k]), hn::LoadU(d, next_strip + at), next_sum);
      }
    };
    std::size_t k = 0;
    for (; k + 2 <= count; k += 2) {
      add(k, even, next_even);
      add(k + 1, odd, next_odd);
    }
    if (k < count) add(k, even, next_even);
    hn::StoreU(hn::Add(even, odd), d, out);
    if constexpr (Two) hn::StoreU(hn::Add(next_even, next_odd), d, next_out);
  }
}

// One strip of two powers.
HWY_INLINE void MultiplyHalves(const std::uint32_t* columns, std::size_t count, const float* values,
                               const float* next_values, const StripTerm& term, std::size_t row) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  constexpr std::size_t half = block_width / 2;
  for (std::size_t lane = 0; lane < block_width; lane += n) {
    const float* strip = term.strip + lane;
    float* out = term.out + row * block_width + lane;
    const auto lower = hn::FirstN(d, half);
    const auto add = [&](std::size_t k, auto& sum) HWY_ATTR {
      auto factor = hn::Set(d, lane < half ? values[k] : next_values[k]);
      if (n > half) factor = hn::IfThenElse(lower, factor, hn::Set(d, next_values[k]));
      sum = hn::MulAdd(factor, hn::LoadU(d, strip + std::size_t{columns[k]} * block_width), sum);
    };
    hn::StoreU(SumInFours(d, hn::LoadU(d, out), count, add), d, out);
  }
}

constexpr std::size_t rows_ahead = 3;

void MultiplyTile(std::span<PackedRow> rows, std::size_t blocks, std::span<const StripTerm> terms) {
  constexpr std::size_t room = (most_tile_blocks + 1) * block_width;
  HWY_ALIGN std::uint32_t columns[room];
  HWY_ALIGN float values[room];
  HWY_ALIGN float next_values[room];
  const auto whole = [&](std::size_t t) { return terms[t].power == terms[t].next_power; };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r + rows_ahead < rows.size()) {  // rows lie apart: ask for the next ones early
      const PackedRow& later = rows[r + rows_ahead];
      hwy::Prefetch(later.masks);
      hwy::Prefetch(later.masks + blocks - 1);
      for (std::size_t k = 0; k < 8; ++k) hwy::Prefetch(later.logs + k * block_width);
    }
    const std::size_t links = LinkedColumns(rows[r].masks, blocks, columns);
    const float* const logs = rows[r].logs;
    for (std::size_t t = 0; t < terms.size() && links > 0; ++t) {
      PowerOfLogs(logs, links, terms[t].power, values);
      if (!whole(t)) {
        PowerOfLogs(logs, links, terms[t].next_power, next_values);
        MultiplyHalves(columns, links, values, next_values, terms[t], r);
      } else if (t + 1 < terms.size() && whole(t + 1)) {
        const bool same = terms[t].power == terms[t + 1].power;
        if (!same) PowerOfLogs(logs, links, terms[t + 1].power, next_values);
        MultiplySome<true>(columns, links, values, same ? values : next_values, terms[t],
                           terms[t + 1], r);
        ++t;
      } else {
        MultiplySome<false>(columns, links, values, values, terms[t], terms[t], r);
      }
    }
    rows[r].masks += blocks;
    rows[r].logs += links;
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(pack_row, PackRow);
PALATE_KERNEL(logs_of, LogsOf);
PALATE_KERNEL(add_powers, AddPowers);
PALATE_KERNEL(add_powers_of_two, AddPowersOfTwo);
PALATE_KERNEL(unpack_power, UnpackPower);
PALATE_KERNEL(power_of_logs, PowerOfLogs);
PALATE_KERNEL(count_links, CountLinks);
PALATE_KERNEL(linked_columns, LinkedColumns);
PALATE_KERNEL(multiply_tile, MultiplyTile);
PALATE_KERNEL(multiply_links, MultiplyLinks);

}  // namespace palate::kernels
#endif
