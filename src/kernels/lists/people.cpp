#include "kernels/lists/people.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lists/people.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/graph/bits-inl.hpp"
#include "kernels/graph/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {

constexpr std::size_t rows_per_sum = 32;
constexpr std::size_t people_ahead = 4;

#if HWY_TARGET == HWY_SCALAR
void AddCodes(const std::uint32_t* strip, const Entries& entries,
              std::span<const std::uint32_t> who, const std::uint32_t* x, float* sums, bool fresh) {
  const auto low = [](std::uint32_t both) {
    return static_cast<std::int32_t>(static_cast<std::int16_t>(both & 0xFFFFU));
  };
  const auto high = [](std::uint32_t both) {
    return static_cast<std::int32_t>(static_cast<std::int16_t>(both >> 16U));
  };
  for (const std::uint32_t p : who) {
    for (std::size_t c = 0; c < wide_strip; ++c, ++sums) {
      if (fresh) *sums = 0;
      const std::size_t end = entries.starts[p + 1];
      for (std::size_t k = entries.starts[p]; k < end; k += rows_per_sum) {
        std::int32_t sum = 0;
        for (std::size_t j = k; j < end && j < k + rows_per_sum; ++j) {
          const std::uint32_t code = strip[entries.rows[j] * wide_strip + c];
          sum += low(x[j]) * low(code) + high(x[j]) * high(code);
        }
        *sums += static_cast<float>(sum);
      }
    }
  }
}
#else
// A row of the strip is a few vectors; each has a sum of its own, so that none waits for another.
void AddCodes(const std::uint32_t* strip, const Entries& entries,
              std::span<const std::uint32_t> who, const std::uint32_t* x, float* sums, bool fresh) {
  const Lanes d;
  const hn::RebindToSigned<Lanes> d32;
  const hn::Repartition<std::int16_t, decltype(d32)> d16;
  using Sum = hn::VFromD<decltype(d32)>;
  constexpr std::size_t n = hn::MaxLanes(d);
  constexpr std::size_t vectors = wide_strip / n < 4 ? wide_strip / n : 4;
  const std::uint16_t* const rows = entries.rows;
  for (std::size_t m = 0; m < who.size(); ++m, sums += wide_strip) {
    const std::uint32_t p = who[m];
    if (m + people_ahead < who.size()) {  // those who are asked for may lie apart
      const std::uint32_t later = entries.starts[who[m + people_ahead]];
      hwy::Prefetch(rows + later);
      hwy::Prefetch(x + later);
      hwy::Prefetch(x + later + 16);
    }
    for (std::size_t c = 0; c < wide_strip; c += vectors * n) {
      const auto* columns = reinterpret_cast<const std::int32_t*>(strip) + c;
      bool first = fresh;
      std::size_t k = entries.starts[p];
      const std::size_t end = entries.starts[p + 1];
      do {
        const std::size_t stop = end - k < rows_per_sum ? end : k + rows_per_sum;
        Sum sum[vectors];
        Sum rest[vectors];
        for (std::size_t v = 0; v < vectors; ++v) sum[v] = rest[v] = hn::Zero(d32);
        for (; k < stop; ++k) {
          const auto* row = columns + std::size_t{rows[k]} * wide_strip;
          const auto factor = hn::BitCast(d16, hn::Set(d32, static_cast<std::int32_t>(x[k])));
          for (std::size_t v = 0; v < vectors; ++v) {
            sum[v] = hn::ReorderWidenMulAccumulate(
                d32, factor, hn::BitCast(d16, hn::LoadU(d32, row + v * n)), sum[v], rest[v]);
          }
        }
        for (std::size_t v = 0; v < vectors; ++v) {
          float* to = sums + c + v * n;
          const auto more = hn::ConvertTo(d, hn::RearrangeToOddPlusEven(sum[v], rest[v]));
          hn::StoreU(first ? more : hn::Add(hn::LoadU(d, to), more), d, to);
        }
        first = false;
      } while (k < end);
    }
  }
}
#endif

// So many matrices, of several that lie side by side.
template <std::size_t Matrices>
HWY_INLINE void AddSome(const float* strip, std::size_t all, const Entries& entries, const float* x,
                        float* left, float* right, std::size_t stride, bool fresh) {
  const Lanes d;
  constexpr std::size_t half = wide_strip / 2;
  for (std::size_t p = 0; p < entries.people(); ++p, left += stride, right += stride) {
    for (std::size_t c = 0; c < half; c += hn::Lanes(d)) {
      hn::VFromD<Lanes> lefts[Matrices];
      hn::VFromD<Lanes> rights[Matrices];
      for (std::size_t m = 0; m < Matrices; ++m) {
        lefts[m] = fresh ? hn::Zero(d) : hn::LoadU(d, left + m * half + c);
        rights[m] = fresh ? hn::Zero(d) : hn::LoadU(d, right + m * half + c);
      }
      for (std::size_t k = entries.starts[p]; k < entries.starts[p + 1]; ++k) {
        const float* row = strip + std::size_t{entries.rows[k]} * all * wide_strip + c;
        for (std::size_t m = 0; m < Matrices; ++m, row += wide_strip) {
          const auto factor = hn::Set(d, x[k * all + m]);
          lefts[m] = hn::MulAdd(factor, hn::LoadU(d, row), lefts[m]);
          rights[m] = hn::MulAdd(factor, hn::LoadU(d, row + half), rights[m]);
        }
      }
      for (std::size_t m = 0; m < Matrices; ++m) {
        hn::StoreU(lefts[m], d, left + m * half + c);
        hn::StoreU(rights[m], d, right + m * half + c);
      }
    }
  }
}

void AddWideRows(const float* strip, std::size_t matrices, const Entries& entries, const float* x,
                 float* left, float* right, std::size_t stride, bool fresh) {
  constexpr std::size_t half = wide_strip / 2;
  std::size_t m = 0;
  for (; m + 2 <= matrices; m += 2) {
    AddSome<2>(strip + m * wide_strip, matrices, entries, x + m, left + m * half, right + m * half,
               stride, fresh);
  }
  if (m < matrices) {
    AddSome<1>(strip + m * wide_strip, matrices, entries, x + m, left + m * half, right + m * half,
               stride, fresh);
  }
}

// So many people at once: their sums do not wait for each other, and share the rows.
template <std::size_t Together>
HWY_INLINE void EstimateSome(const float* sums, const float* unit, const float* column_unit,
                             const float* rows, std::size_t count, const float* z,
                             const std::uint32_t* who, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const float* mine[Together];
  for (std::size_t m = 0; m < Together; ++m) mine[m] = z + std::size_t{who[m]} * count;
  for (std::size_t c = 0; c < 16; c += n) {
    const auto column = hn::LoadU(d, column_unit + c);
    hn::VFromD<Lanes> sum[Together];
    for (std::size_t m = 0; m < Together; ++m) {
      sum[m] =
          hn::Mul(hn::Mul(hn::Set(d, unit[m]), column), hn::LoadU(d, sums + m * wide_strip + c));
    }
    for (std::size_t r = 0; r < count; ++r) {
      const auto row = hn::LoadU(d, rows + r * 16 + c);
      for (std::size_t m = 0; m < Together; ++m) {
        sum[m] = hn::MulAdd(hn::Set(d, mine[m][r]), row, sum[m]);
      }
    }
    for (std::size_t m = 0; m < Together; ++m) hn::StoreU(sum[m], d, out + m * 16 + c);
  }
}

void EstimatePeople(const float* sums, const float* unit, const float* column_unit,
                    const float* rows, std::size_t count, const float* z,
                    std::span<const std::uint32_t> who, float* out) {
  constexpr std::size_t together = 8;
  std::size_t m = 0;
  for (; m + together <= who.size(); m += together) {
    EstimateSome<together>(sums + m * wide_strip, unit + m, column_unit, rows, count, z,
                           who.data() + m, out + m * 16);
  }
  for (; m < who.size(); ++m) {
    EstimateSome<1>(sums + m * wide_strip, unit + m, column_unit, rows, count, z, who.data() + m,
                    out + m * 16);
  }
}

void AddTerms(std::span<const PeopleTerm> terms, std::span<const std::uint32_t> who, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t m = 0; m < who.size(); ++m, out += 16) {
    for (std::size_t c = 0; c < 16; c += n) {
      auto sum = hn::LoadU(d, out + c);
      for (const PeopleTerm& term : terms) {
        sum = hn::MulAdd(hn::Set(d, term.factor[m]),
                         hn::LoadU(d, term.values + who[m] * term.stride + c), sum);
      }
      hn::StoreU(sum, d, out + c);
    }
  }
}

HWY_INLINE float BoundValue(std::uint16_t bound) {
  return std::bit_cast<float>(std::uint32_t{bound} << 16U);
}

std::size_t FindPeople(const std::uint16_t* bound, const float* least, std::size_t count,
                       std::uint32_t* who) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const hn::Rebind<std::uint16_t, Lanes> halves;
  const std::size_t n = hn::Lanes(d);
  const auto from_zero = hn::Iota(words, 0U);
  std::size_t found = 0;
  std::size_t p = 0;
  for (; p + n <= count; p += n) {
    const auto value =
        hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(halves, bound + p))));
    const auto may = hn::RebindMask(words, hn::Ge(value, hn::LoadU(d, least + p)));
    const auto people = hn::Add(from_zero, hn::Set(words, static_cast<std::uint32_t>(p)));
    found += hn::CompressStore(people, may, words, who + found);
  }
  for (; p < count; ++p) {
    who[found] = static_cast<std::uint32_t>(p);
    found += BoundValue(bound[p]) >= least[p] ? 1 : 0;
  }
  return found;
}

std::size_t KeepPeople(const PeopleLimits& limits, std::span<std::uint32_t> who, float* sums) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < who.size(); ++k) {
    const std::uint32_t p = who[k];
    const float* from = sums + k * wide_strip;
    float* to = sums + kept * wide_strip;
    auto most = hn::Zero(d);
    for (std::size_t c = 0; c < wide_strip; c += n) {
      const auto some = hn::LoadU(d, from + c);
      most = hn::Max(most, hn::Mul(some, hn::LoadU(d, limits.column_unit + c)));
      hn::StoreU(some, d, to + c);
    }
    who[kept] = p;
    const auto enough = hn::Set(d, limits.least[p] - BoundValue(limits.bound[p]));
    kept += hn::AllFalse(d, hn::Ge(hn::Mul(most, hn::Set(d, limits.unit[p])), enough)) ? 0 : 1;
  }
  return kept;
}

void BoundPeople(const PeopleBounds& in, std::size_t people, std::uint16_t* out,
                 std::size_t stride) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const hn::RebindToSigned<Lanes> integers;
  const hn::Rebind<std::uint16_t, Lanes> halves;
  const std::size_t n = hn::Lanes(d);
  const auto rounding = hn::Set(d, in.rounding);
  const auto two = hn::Set(d, 2.0F);
  HWY_ALIGN float by_person[16 * 16];
  HWY_ALIGN float by_column[16 * 16];
  HWY_ALIGN std::uint16_t last[16];
  for (std::size_t p = 0; p < people; p += 16) {
    for (std::size_t k = 0; k < 16; ++k) {
      const auto unit = hn::Set(d, in.unit[p + k]);
      const auto room = hn::Set(d, in.room[p + k]);
      for (std::size_t c = 0; c < 16; c += n) {
        const auto sum = hn::LoadU(d, in.sums + (p + k) * wide_strip + c);
        const auto first = hn::Mul(hn::Mul(sum, unit), hn::LoadU(d, in.column_unit + c));
        const auto both = hn::Add(first, hn::LoadU(d, in.second + (p + k) * 16 + c));
        const auto off = hn::MulAdd(two, first, hn::Abs(both));
        hn::Store(hn::Add(hn::MulAdd(rounding, off, both), room), d, by_person + k * 16 + c);
      }
    }
    Transpose(by_person, by_column);
    const bool whole = people - p >= 16;
    for (std::size_t c = 0; c < 16; ++c) {
      std::uint16_t* to = whole ? out + c * stride + p : last;
      for (std::size_t lane = 0; lane < 16; lane += n) {
        const auto value = hn::Load(d, by_column + c * 16 + lane);
        const auto bits = hn::BitCast(words, value);
        const auto up = hn::IfThenElse(hn::RebindMask(words, hn::Gt(value, hn::Zero(d))),
                                       hn::Add(bits, hn::Set(words, 0xFFFFU)), bits);
        hn::StoreU(hn::DemoteTo(halves, hn::BitCast(integers, hn::ShiftRight<16>(up))), halves,
                   to + lane);
      }
      if (!whole) std::memcpy(out + c * stride + p, last, (people - p) * sizeof(*last));
    }
  }
}

void LanesAtLeast(const float* values, const float* least, std::size_t people,
                  std::uint16_t* lanes) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t p = 0; p < people; ++p) {
    std::uint32_t mask = 0;
    for (std::size_t c = 0; c < 16; c += n) {
      mask |= Bits(hn::Ge(hn::LoadU(d, values + p * 16 + c), hn::Set(d, least[p]))) << c;
    }
    lanes[p] = static_cast<std::uint16_t>(mask);
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(add_codes, AddCodes);
PALATE_KERNEL(add_wide_rows, AddWideRows);
PALATE_KERNEL(estimate_people, EstimatePeople);
PALATE_KERNEL(add_terms, AddTerms);
PALATE_KERNEL(find_people, FindPeople);
PALATE_KERNEL(keep_people, KeepPeople);
PALATE_KERNEL(bound_people, BoundPeople);
PALATE_KERNEL(lanes_at_least, LanesAtLeast);

}  // namespace palate::kernels
#endif
