// Dots and sums of strips of 16 floats, to be included once per instruction set (Highway's way).
#if defined(PALATE_KERNELS_DOT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALATE_KERNELS_DOT_INL
#undef PALATE_KERNELS_DOT_INL
#else
#define PALATE_KERNELS_DOT_INL
#endif

#include <hwy/highway.h>

#include "kernels/dense/strip.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {

/// In an order of its own, always the same: even and odd strips apart.
HWY_INLINE float Dot(const float* a, std::size_t a_stride, const float* y, std::size_t y_stride,
                     std::size_t strips) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<float, 16> d;
  const std::size_t n = hn::Lanes(d);
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  for (std::size_t c = 0; c < block_width; c += n) {
    std::size_t s = 0;
    for (; s + 2 <= strips; s += 2) {
      even =
          hn::MulAdd(hn::LoadU(d, a + s * a_stride + c), hn::LoadU(d, y + s * y_stride + c), even);
      odd = hn::MulAdd(hn::LoadU(d, a + (s + 1) * a_stride + c),
                       hn::LoadU(d, y + (s + 1) * y_stride + c), odd);
    }
    if (s < strips) {
      even =
          hn::MulAdd(hn::LoadU(d, a + s * a_stride + c), hn::LoadU(d, y + s * y_stride + c), even);
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

/// first + what add(k, sum) adds for each k < count: in four sums, which need not wait for each
/// other.
template <class D, class Add>
HWY_INLINE hwy::HWY_NAMESPACE::VFromD<D> SumInFours(D d, hwy::HWY_NAMESPACE::VFromD<D> first,
                                                    std::size_t count, const Add& add) {
  namespace hn = hwy::HWY_NAMESPACE;
  auto s1 = hn::Zero(d);
  auto s2 = hn::Zero(d);
  auto s3 = hn::Zero(d);
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    add(k, first);
    add(k + 1, s1);
    add(k + 2, s2);
    add(k + 3, s3);
  }
  for (; k < count; ++k) add(k, first);
  return hn::Add(hn::Add(first, s1), hn::Add(s2, s3));
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
