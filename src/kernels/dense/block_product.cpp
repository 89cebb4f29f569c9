#include "kernels/dense/block_product.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/block_product.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows x 3 vectors of sums. With 32 registers eight rows fit, with 16 four.
template <std::size_t Rows, class Number>
HWY_INLINE void AddPart(const Number* a, const Number* b, std::size_t depth, Number factor,
                        Number* c, std::size_t stride) {
  const hn::CappedTag<Number, 64 / sizeof(Number)> d;
  const std::size_t n = hn::Lanes(d);
  hn::VFromD<decltype(d)> s0[Rows];
  hn::VFromD<decltype(d)> s1[Rows];
  hn::VFromD<decltype(d)> s2[Rows];
  for (std::size_t i = 0; i < Rows; ++i) s0[i] = s1[i] = s2[i] = hn::Zero(d);
  for (std::size_t k = 0; k < depth; ++k) {
    const auto b0 = hn::LoadU(d, b);
    const auto b1 = hn::LoadU(d, b + n);
    const auto b2 = hn::LoadU(d, b + 2 * n);
#if HWY_COMPILER_GCC_ACTUAL
#pragma GCC unroll 8
#endif
    for (std::size_t i = 0; i < Rows; ++i) {
      const auto x = hn::Set(d, a[i]);
      s0[i] = hn::MulAdd(x, b0, s0[i]);
      s1[i] = hn::MulAdd(x, b1, s1[i]);
      s2[i] = hn::MulAdd(x, b2, s2[i]);
    }
    a += block_rows;
    b += block_columns;
  }
  const auto f = hn::Set(d, factor);
  for (std::size_t i = 0; i < Rows; ++i) {
    Number* to = c + i * stride;
    hn::StoreU(hn::MulAdd(f, s0[i], hn::LoadU(d, to)), d, to);
    hn::StoreU(hn::MulAdd(f, s1[i], hn::LoadU(d, to + n)), d, to + n);
    hn::StoreU(hn::MulAdd(f, s2[i], hn::LoadU(d, to + 2 * n)), d, to + 2 * n);
  }
}

template <class Number>
HWY_INLINE void AddBlock(const Number* a, const Number* b, std::size_t depth, Number factor,
                         Number* c, std::size_t stride) {
  const hn::CappedTag<Number, 64 / sizeof(Number)> d;
  constexpr std::size_t rows = hn::MaxLanes(d) * sizeof(Number) == 64 ? 8 : 4;
  const std::size_t width = 3 * hn::Lanes(d);
  for (std::size_t j = 0; j < block_columns; j += width) {
    for (std::size_t i = 0; i < block_rows; i += rows) {
      AddPart<rows>(a + i, b + j, depth, factor, c + i * stride + j, stride);
    }
  }
}

void AddBlockProduct(const float* a, const float* b, std::size_t depth, float factor, float* c,
                     std::size_t stride) {
  AddBlock(a, b, depth, factor, c, stride);
}
void AddBlockProductDouble(const double* a, const double* b, std::size_t depth, double factor,
                           double* c, std::size_t stride) {
  AddBlock(a, b, depth, factor, c, stride);
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(add_block_product, AddBlockProduct);
PALATE_KERNEL(add_block_product_double, AddBlockProductDouble);

}  // namespace palate::kernels
#endif
