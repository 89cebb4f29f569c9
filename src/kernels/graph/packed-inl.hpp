// Blocks of packed rows as vectors, to be included once per instruction set (Highway's way).
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#ifndef PALATE_KERNELS_PACKED_TABLE
#define PALATE_KERNELS_PACKED_TABLE
namespace palate::kernels {
namespace {

// For each mask of 8 bits: where each lane finds its value among those that are there.
template <class Index>
constexpr auto expand_table = [] {
  std::array<std::array<Index, 8>, 256> table{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    Index next = 0;
    for (std::size_t lane = 0; lane < 8; ++lane) {
      table[mask][lane] = next;
      if ((mask >> lane & 1) != 0) ++next;
    }
  }
  return table;
}();

// The other way: for each mask of 8 bits, the lanes that are there.
constexpr auto compress_table = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    std::size_t count = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) != 0) table[mask][count++] = lane;
    }
  }
  return table;
}();

constexpr float no_link = -1e30F;

}  // namespace
}  // namespace palate::kernels
#endif

#if defined(PALATE_KERNELS_PACKED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALATE_KERNELS_PACKED_INL
#undef PALATE_KERNELS_PACKED_INL
#else
#define PALATE_KERNELS_PACKED_INL
#endif

#include <hwy/highway.h>

#include "kernels/graph/bits-inl.hpp"
#include "kernels/graph/exp2-inl.hpp"
#include "kernels/graph/packed_row.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {

using Vector = hn::VFromD<Lanes>;

#if HWY_TARGET == HWY_AVX2
// Lanes as 8 bytes name them.
HWY_INLINE __m256i NamedLanes(const std::array<std::uint8_t, 8>& lanes) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes.data())));
}

HWY_INLINE Vector Expand8(std::uint32_t bits, const float* from, Vector absent) {
  const auto at = NamedLanes(expand_table<std::uint8_t>[bits]);
  // The bit of each lane, moved to where a blend looks for it.
  const auto there = _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<std::int32_t>(bits)),
                                       _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24));
  return Vector{_mm256_blendv_ps(absent.raw, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), at),
                                 _mm256_castsi256_ps(there))};
}
#endif

// Calls visit(lane, v) with the vectors of one block: the packed values where the mask has a bit,
// `absent` elsewhere.
template <class Visit>
HWY_INLINE void Expand(std::uint32_t mask, const float* from, Vector absent, const Visit& visit) {
  const Lanes d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  visit(std::size_t{0},
        Vector{_mm512_mask_expandloadu_ps(absent.raw, static_cast<__mmask16>(mask), from)});
#elif HWY_TARGET == HWY_AVX2
  const std::uint32_t lower = mask & 0xFFU;
  visit(std::size_t{0}, Expand8(lower, from, absent));
  visit(std::size_t{8}, Expand8(mask >> 8U, from + std::popcount(lower), absent));
#else
  const std::size_t n = hn::Lanes(d);
  const hn::RebindToSigned<Lanes> integers;
  for (std::size_t lane = 0; lane < block_width; lane += n) {
    const std::uint32_t bits = mask >> lane & ((1U << n) - 1);
    const auto at = hn::SetTableIndices(d, expand_table<std::int32_t>[bits].data());
    const auto there = hn::Ne(hn::And(hn::Set(integers, static_cast<std::int32_t>(bits)),
                                      hn::Shl(hn::Set(integers, 1), hn::Iota(integers, 0))),
                              hn::Zero(integers));
    visit(lane, hn::IfThenElse(hn::RebindMask(d, there),
                               hn::TableLookupLanes(hn::LoadU(d, from), at), absent));
    from += std::popcount(bits);
  }
#endif
}

// The lanes of x that are there, one after the other; `bits`: the same as `there`.
template <class Mask>
HWY_INLINE Vector Together(Vector x, Mask there, std::uint32_t bits) {
#if HWY_TARGET == HWY_AVX2  // Highway's own way there is several times as slow
  (void)there;
  return Vector{_mm256_permutevar8x32_ps(x.raw, NamedLanes(compress_table[bits]))};
#else
  (void)bits;
  return hn::Compress(x, there);
#endif
}

// 0 where there is no link: a factor times -1e30 is far below what Exp2 takes for 0.
HWY_INLINE Vector PowerOrZero(Vector log, Vector power) {
  return Exp2(Lanes(), hn::Mul(log, power));
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
