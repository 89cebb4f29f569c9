#include "kernels/tile_product.hpp"

#include <bit>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tile_product.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;

// Bit k: whether one of two rows is not 0 at k.
HWY_INLINE std::uint64_t NotZero(const float* a0, const float* a1) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  std::uint64_t mask = 0;
  for (std::size_t k = 0; k < product_depth; k += n) {
    const auto some =
        hn::Or(hn::Ne(hn::LoadU(d, a0 + k), zero), hn::Ne(hn::LoadU(d, a1 + k), zero));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, some, bits);
    mask |= (bits[0] | std::uint64_t{bits[1]} << 8) << k;
  }
  return mask;
}

// A vector of b that serves both rows. GCC would rather load it twice, as an operand of both
// products, and then loading is what takes the time.
template <class D>
HWY_INLINE hn::VFromD<D> LoadOnce(D d, const float* from) {
  auto v = hn::LoadU(d, from);
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && \
    HWY_TARGET != HWY_EMU128
  asm("" : "+v"(v.raw));
#endif
  return v;
}

template <class D, class V>
HWY_INLINE void AddTo(D d, V sum, float* to) {
  hn::StoreU(hn::Add(hn::LoadU(d, to), sum), d, to);
}

// Two rows, four vectors of columns: 8 sums, for sets with 16 registers.
HWY_INLINE void FourVectors(const float* a0, const float* a1, std::uint64_t mask, const float* b,
                            float* c0, float* c1) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  auto t0 = hn::Zero(d), t1 = hn::Zero(d), t2 = hn::Zero(d), t3 = hn::Zero(d);
  for (; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(mask));
    const float* row = b + k * product_tile;
    const auto x = hn::Set(d, a0[k]);
    const auto y = hn::Set(d, a1[k]);
    const auto b0 = LoadOnce(d, row);
    s0 = hn::MulAdd(x, b0, s0);
    t0 = hn::MulAdd(y, b0, t0);
    const auto b1 = LoadOnce(d, row + n);
    s1 = hn::MulAdd(x, b1, s1);
    t1 = hn::MulAdd(y, b1, t1);
    const auto b2 = LoadOnce(d, row + 2 * n);
    s2 = hn::MulAdd(x, b2, s2);
    t2 = hn::MulAdd(y, b2, t2);
    const auto b3 = LoadOnce(d, row + 3 * n);
    s3 = hn::MulAdd(x, b3, s3);
    t3 = hn::MulAdd(y, b3, t3);
  }
  AddTo(d, s0, c0);
  AddTo(d, s1, c0 + n);
  AddTo(d, s2, c0 + 2 * n);
  AddTo(d, s3, c0 + 3 * n);
  AddTo(d, t0, c1);
  AddTo(d, t1, c1 + n);
  AddTo(d, t2, c1 + 2 * n);
  AddTo(d, t3, c1 + 3 * n);
}

// The same with eight vectors: 16 sums, for sets with 32 registers.
HWY_INLINE void EightVectors(const float* a0, const float* a1, std::uint64_t mask, const float* b,
                             float* c0, float* c1) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  auto s4 = hn::Zero(d), s5 = hn::Zero(d), s6 = hn::Zero(d), s7 = hn::Zero(d);
  auto t0 = hn::Zero(d), t1 = hn::Zero(d), t2 = hn::Zero(d), t3 = hn::Zero(d);
  auto t4 = hn::Zero(d), t5 = hn::Zero(d), t6 = hn::Zero(d), t7 = hn::Zero(d);
  for (; mask != 0; mask &= mask - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(mask));
    const float* row = b + k * product_tile;
    const auto x = hn::Set(d, a0[k]);
    const auto y = hn::Set(d, a1[k]);
    const auto b0 = LoadOnce(d, row);
    s0 = hn::MulAdd(x, b0, s0);
    t0 = hn::MulAdd(y, b0, t0);
    const auto b1 = LoadOnce(d, row + n);
    s1 = hn::MulAdd(x, b1, s1);
    t1 = hn::MulAdd(y, b1, t1);
    const auto b2 = LoadOnce(d, row + 2 * n);
    s2 = hn::MulAdd(x, b2, s2);
    t2 = hn::MulAdd(y, b2, t2);
    const auto b3 = LoadOnce(d, row + 3 * n);
    s3 = hn::MulAdd(x, b3, s3);
    t3 = hn::MulAdd(y, b3, t3);
    const auto b4 = LoadOnce(d, row + 4 * n);
    s4 = hn::MulAdd(x, b4, s4);
    t4 = hn::MulAdd(y, b4, t4);
    const auto b5 = LoadOnce(d, row + 5 * n);
    s5 = hn::MulAdd(x, b5, s5);
    t5 = hn::MulAdd(y, b5, t5);
    const auto b6 = LoadOnce(d, row + 6 * n);
    s6 = hn::MulAdd(x, b6, s6);
    t6 = hn::MulAdd(y, b6, t6);
    const auto b7 = LoadOnce(d, row + 7 * n);
    s7 = hn::MulAdd(x, b7, s7);
    t7 = hn::MulAdd(y, b7, t7);
  }
  AddTo(d, s0, c0);
  AddTo(d, s1, c0 + n);
  AddTo(d, s2, c0 + 2 * n);
  AddTo(d, s3, c0 + 3 * n);
  AddTo(d, s4, c0 + 4 * n);
  AddTo(d, s5, c0 + 5 * n);
  AddTo(d, s6, c0 + 6 * n);
  AddTo(d, s7, c0 + 7 * n);
  AddTo(d, t0, c1);
  AddTo(d, t1, c1 + n);
  AddTo(d, t2, c1 + 2 * n);
  AddTo(d, t3, c1 + 3 * n);
  AddTo(d, t4, c1 + 4 * n);
  AddTo(d, t5, c1 + 5 * n);
  AddTo(d, t6, c1 + 6 * n);
  AddTo(d, t7, c1 + 7 * n);
}

void AddTileProduct(const float* a, std::size_t a_stride, std::size_t rows, const float* b,
                    float* c) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t r = 0; r + 2 <= rows; r += 2) {
    const float* a0 = a + r * a_stride;
    const float* a1 = a0 + a_stride;
    float* c0 = c + r * product_tile;
    float* c1 = c0 + product_tile;
    // What the next step takes, a part with each pair of rows.
    const float* next = b + product_depth * product_tile + r / 2 * product_tile;
    for (std::size_t j = 0; j < product_tile; j += 16) __builtin_prefetch(next + j);
    const std::uint64_t mask = NotZero(a0, a1);
    if (mask == 0) continue;
    if (n == 16) {
      EightVectors(a0, a1, mask, b, c0, c1);
      continue;
    }
    for (std::size_t j = 0; j < product_tile; j += 4 * n) {
      FourVectors(a0, a1, mask, b + j, c0 + j, c1 + j);
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
