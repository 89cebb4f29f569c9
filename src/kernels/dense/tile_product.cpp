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

// So many vectors of columns: two sums for each.
template <std::size_t Vectors>
HWY_INLINE void AddPair(const Pair& pair, const float* b, float* c0, float* c1) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  hn::VFromD<Lanes> s[Vectors];
  hn::VFromD<Lanes> t[Vectors];
  for (std::size_t v = 0; v < Vectors; ++v) s[v] = t[v] = hn::Zero(d);
  const auto add_one = [&](const float* a, std::uint64_t mask, auto& sums) HWY_ATTR {
    ForBits(mask, [&](std::size_t k) HWY_ATTR {
      const auto x = hn::Set(d, a[k]);
      for (std::size_t v = 0; v < Vectors; ++v) {
        sums[v] = hn::MulAdd(x, hn::LoadU(d, b + k * product_tile + v * n), sums[v]);
      }
    });
  };
  ForBits(pair.both, [&](std::size_t k) HWY_ATTR {
    const auto x = hn::Set(d, pair.a0[k]);
    const auto y = hn::Set(d, pair.a1[k]);
    for (std::size_t v = 0; v < Vectors; ++v) {
      const auto column = LoadOnce(d, b + k * product_tile + v * n);
      s[v] = hn::MulAdd(x, column, s[v]);
      t[v] = hn::MulAdd(y, column, t[v]);
    }
  });
  add_one(pair.a0, pair.first, s);
  add_one(pair.a1, pair.second, t);
  for (std::size_t v = 0; v < Vectors; ++v) {
    hn::StoreU(hn::Add(hn::LoadU(d, c0 + v * n), s[v]), d, c0 + v * n);
    hn::StoreU(hn::Add(hn::LoadU(d, c1 + v * n), t[v]), d, c1 + v * n);
  }
}

// A pair of rows after the other, for all columns where a pass takes many of them; else for so many
// columns that their part of b stays in a small first-level cache.
void AddTileProduct(const float* a, std::size_t a_stride, std::size_t rows, const float* b,
                    float* c) {
  // As many sums as there are registers for: instruction sets of 16 lanes have 32 of them.
  constexpr std::size_t n = hn::MaxLanes(Lanes());
  constexpr std::size_t vectors = n == 16 ? 8 : 4;
  constexpr std::size_t width = vectors * n;
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
      AddPair<vectors>(pair, b + j, c0, c1);
    }
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(add_tile_product, AddTileProduct);

}  // namespace palate::kernels
#endif
