#include "kernels/dense/weighted_rows.hpp"

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/weighted_rows.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const std::int16_t* from) {
  const hn::Rebind<std::int16_t, D> shorts;
  const hn::RebindToSigned<D> whole;
  return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(shorts, from)));
}

// Four vectors of columns at a time, whose sums stay in registers.
template <class D, class Number>
HWY_INLINE std::size_t SumColumns(D d, const Number* matrix, std::size_t stride,
                                  const std::uint32_t* rows, const float* x, std::size_t count,
                                  std::size_t c, std::size_t width, float* out) {
  const std::size_t n = hn::Lanes(d);
  // There are more rows than a core follows by itself: what comes next is asked for beforehand.
  constexpr std::size_t ahead = 256 / sizeof(Number);
  for (; c + 4 * n <= width; c += 4 * n) {
    auto s0 = hn::Zero(d);
    auto s1 = hn::Zero(d);
    auto s2 = hn::Zero(d);
    auto s3 = hn::Zero(d);
    const bool more = c + ahead < width;
    for (std::size_t k = 0; k < count; ++k) {
      const Number* row = matrix + rows[k] * stride + c;
      const auto factor = hn::Set(d, x[k]);
      if (more) hwy::Prefetch(row + ahead);
      s0 = hn::MulAdd(factor, LoadFloats(d, row), s0);
      s1 = hn::MulAdd(factor, LoadFloats(d, row + n), s1);
      s2 = hn::MulAdd(factor, LoadFloats(d, row + 2 * n), s2);
      s3 = hn::MulAdd(factor, LoadFloats(d, row + 3 * n), s3);
    }
    hn::StoreU(s0, d, out + c);
    hn::StoreU(s1, d, out + c + n);
    hn::StoreU(s2, d, out + c + 2 * n);
    hn::StoreU(s3, d, out + c + 3 * n);
  }
  for (; c + n <= width; c += n) {
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k) {
      sum = hn::MulAdd(hn::Set(d, x[k]), LoadFloats(d, matrix + rows[k] * stride + c), sum);
    }
    hn::StoreU(sum, d, out + c);
  }
  return c;
}

template <class Number>
HWY_INLINE void AddUp(const Number* matrix, std::size_t stride, std::span<const std::uint32_t> rows,
                      std::span<const float> x, std::size_t width, float* out) {
  const hn::ScalableTag<float> all;
  const hn::CappedTag<float, 1> one;
  const std::size_t c =
      SumColumns(all, matrix, stride, rows.data(), x.data(), rows.size(), 0, width, out);
  SumColumns(one, matrix, stride, rows.data(), x.data(), rows.size(), c, width, out);
}

void WeightedRows(const float* matrix, std::size_t stride, std::span<const std::uint32_t> rows,
                  std::span<const float> x, std::size_t width, float* out) {
  AddUp(matrix, stride, rows, x, width, out);
}

void WeightedShortRows(const std::int16_t* matrix, std::size_t stride,
                       std::span<const std::uint32_t> rows, std::span<const float> x,
                       std::size_t width, float* out) {
  AddUp(matrix, stride, rows, x, width, out);
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(weighted_rows, WeightedRows);
PALATE_KERNEL(weighted_short_rows, WeightedShortRows);

}  // namespace palate::kernels
#endif
