#include "kernels/dense/tile_product.hpp"

#include <array>
#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/tile_product.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/graph/bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;

// Bit k: whether a[k] is not 0.
HWY_INLINE std::uint64_t NotZero(const float* a) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  std::uint64_t mask = 0;
  for (std::size_t k = 0; k < product_depth; k += n) {
    mask |= std::uint64_t{Bits(hn::Ne(hn::LoadU(d, a + k), hn::Zero(d)))} << k;
  }
  return mask;
}

// A vector of b that serves both rows. GCC would rather load it twice, as an operand of both
// products, and then loading is what takes the time.
template <class D>
HWY_INLINE hn::VFromD<D> LoadOnce(D d, const float* from) {
  auto v = hn::LoadU(d, from);
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// What one entry of a row adds to four vectors of columns.
template <class D, class V>
HWY_INLINE void AddOne(D d, V x, const float* b, V& s0, V& s1, V& s2, V& s3) {
  const std::size_t n = hn::Lanes(d);
  s0 = hn::MulAdd(x, hn::LoadU(d, b), s0);
  s1 = hn::MulAdd(x, hn::LoadU(d, b + n), s1);
  s2 = hn::MulAdd(x, hn::LoadU(d, b + 2 * n), s2);
  s3 = hn::MulAdd(x, hn::LoadU(d, b + 3 * n), s3);
}

// The same of two rows at once.
template <class D, class V>
HWY_INLINE void AddBoth(D d, V x, V y, const float* b, V& s0, V& s1, V& s2, V& s3, V& t0, V& t1,
                        V& t2, V& t3) {
  const std::size_t n = hn::Lanes(d);
  const auto b0 = LoadOnce(d, b);
  s0 = hn::MulAdd(x, b0, s0);
  t0 = hn::MulAdd(y, b0, t0);
  const auto b1 = LoadOnce(d, b + n);
  s1 = hn::MulAdd(x, b1, s1);
  t1 = hn::MulAdd(y, b1, t1);
  const auto b2 = LoadOnce(d, b + 2 * n);
  s2 = hn::MulAdd(x, b2, s2);
  t2 = hn::MulAdd(y, b2, t2);
  const auto b3 = LoadOnce(d, b + 3 * n);
  s3 = hn::MulAdd(x, b3, s3);
  t3 = hn::MulAdd(y, b3, t3);
}

template <class D, class V>
HWY_INLINE void AddTo(D d, V s0, V s1, V s2, V s3, float* to) {
  const std::size_t n = hn::Lanes(d);
  hn::StoreU(hn::Add(hn::LoadU(d, to), s0), d, to);
  hn::StoreU(hn::Add(hn::LoadU(d, to + n), s1), d, to + n);
  hn::StoreU(hn::Add(hn::LoadU(d, to + 2 * n), s2), d, to + 2 * n);
  hn::StoreU(hn::Add(hn::LoadU(d, to + 3 * n), s3), d, to + 3 * n);
}

// Calls add(k) for every bit.
template <class Add>
HWY_INLINE void ForBits(std::uint64_t mask, const Add& add) {
  for (; mask != 0; mask &= mask - 1) add(static_cast<std::size_t>(std::countr_zero(mask)));
}

// Two rows of a, where both, only the first and only the second are not 0.
struct Pair {
  const float *a0, *a1;
  std::uint64_t both, first, second;
};

// Four vectors of columns: 8 sums, for sets with 16 registers.
HWY_INLINE void FourVectors(const Pair& pair, const float* b, float* c0, float* c1) {
  const Lanes d;
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  auto t0 = hn::Zero(d), t1 = hn::Zero(d), t2 = hn::Zero(d), t3 = hn::Zero(d);
  ForBits(pair.both, [&](std::size_t k) HWY_ATTR {
    AddBoth(d, hn::Set(d, pair.a0[k]), hn::Set(d, pair.a1[k]), b + k * product_tile, s0, s1, s2, s3,
            t0, t1, t2, t3);
  });
  ForBits(pair.first, [&](std::size_t k) HWY_ATTR {
    AddOne(d, hn::Set(d, pair.a0[k]), b + k * product_tile, s0, s1, s2, s3);
  });
  ForBits(pair.second, [&](std::size_t k) HWY_ATTR {
    AddOne(d, hn::Set(d, pair.a1[k]), b + k * product_tile, t0, t1, t2, t3);
  });
  AddTo(d, s0, s1, s2, s3, c0);
  AddTo(d, t0, t1, t2, t3, c1);
}

// Eight: 16 sums, for sets with 32 registers.
HWY_INLINE void EightVectors(const Pair& pair, const float* b, float* c0, float* c1) {
  const Lanes d;
  const std::size_t half = 4 * hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  auto s4 = hn::Zero(d), s5 = hn::Zero(d), s6 = hn::Zero(d), s7 = hn::Zero(d);
  auto t0 = hn::Zero(d), t1 = hn::Zero(d), t2 = hn::Zero(d), t3 = hn::Zero(d);
  auto t4 = hn::Zero(d), t5 = hn::Zero(d), t6 = hn::Zero(d), t7 = hn::Zero(d);
  ForBits(pair.both, [&](std::size_t k) HWY_ATTR {
    const float* row = b + k * product_tile;
    const auto x = hn::Set(d, pair.a0[k]);
    const auto y = hn::Set(d, pair.a1[k]);
    AddBoth(d, x, y, row, s0, s1, s2, s3, t0, t1, t2, t3);
    AddBoth(d, x, y, row + half, s4, s5, s6, s7, t4, t5, t6, t7);
  });
  ForBits(pair.first, [&](std::size_t k) HWY_ATTR {
    const float* row = b + k * product_tile;
    const auto x = hn::Set(d, pair.a0[k]);
    AddOne(d, x, row, s0, s1, s2, s3);
    AddOne(d, x, row + half, s4, s5, s6, s7);
  });
  ForBits(pair.second, [&](std::size_t k) HWY_ATTR {
    const float* row = b + k * product_tile;
    const auto y = hn::Set(d, pair.a1[k]);
    AddOne(d, y, row, t0, t1, t2, t3);
    AddOne(d, y, row + half, t4, t5, t6, t7);
  });
  AddTo(d, s0, s1, s2, s3, c0);
  AddTo(d, s4, s5, s6, s7, c0 + half);
  AddTo(d, t0, t1, t2, t3, c1);
  AddTo(d, t4, t5, t6, t7, c1 + half);
}

// A pair of rows after the other, for all columns where a pass takes many of them; else for so many
// columns that their part of b stays in a small first-level cache.
void AddTileProduct(const float* a, std::size_t a_stride, std::size_t rows, const float* b,
                    float* c) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const std::size_t width = n == 16 ? product_tile : 4 * n;
  std::array<Pair, product_tile / 2> pairs;
  for (std::size_t r = 0; r + 2 <= rows; r += 2) {
    const float* a0 = a + r * a_stride;
    const float* a1 = a0 + a_stride;
    const std::uint64_t in0 = NotZero(a0);
    const std::uint64_t in1 = NotZero(a1);
    pairs[r / 2] = {a0, a1, in0 & in1, in0 & ~in1, in1 & ~in0};
  }
  for (std::size_t j = 0; j < product_tile; j += width) {
    for (std::size_t r = 0; r + 2 <= rows; r += 2) {
      // What the next step takes, a part with each pair of rows.
      const float* next = b + product_depth * product_tile + r / 2 * product_tile + j;
      for (std::size_t k = 0; k < width; k += 16) __builtin_prefetch(next + k);
      const Pair& pair = pairs[r / 2];
      if ((pair.both | pair.first | pair.second) == 0) continue;
      float* c0 = c + r * product_tile + j;
      float* c1 = c0 + product_tile;
      if (n == 16) {
        EightVectors(pair, b + j, c0, c1);
      } else {
        FourVectors(pair, b + j, c0, c1);
      }
    }
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(AddTileProduct);

void add_tile_product(const float* a, std::size_t a_stride, std::size_t rows, const float* b,
                      float* c) noexcept {
  HWY_DYNAMIC_DISPATCH(AddTileProduct)(a, a_stride, rows, b, c);
}

}  // namespace palate::kernels
#endif
