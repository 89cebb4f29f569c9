#include "kernels/dense/weighted_rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/weighted_rows.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of columns at a time, whose sums stay in registers.
template <class D>
HWY_INLINE std::size_t SumColumns(D d, const float* matrix, std::size_t stride,
                                  const std::uint32_t* rows, const float* x, std::size_t count,
                                  std::size_t c, std::size_t width, float* out) {
  const std::size_t n = hn::Lanes(d);
  for (; c + 2 * n <= width; c += 2 * n) {
    auto s0 = hn::Zero(d);
    auto s1 = hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k) {
      const float* row = matrix + rows[k] * stride + c;
      const auto factor = hn::Set(d, x[k]);
      s0 = hn::MulAdd(factor, hn::LoadU(d, row), s0);
      s1 = hn::MulAdd(factor, hn::LoadU(d, row + n), s1);
    }
    hn::StoreU(s0, d, out + c);
    hn::StoreU(s1, d, out + c + n);
  }
  for (; c + n <= width; c += n) {
    auto sum = hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k) {
      sum = hn::MulAdd(hn::Set(d, x[k]), hn::LoadU(d, matrix + rows[k] * stride + c), sum);
    }
    hn::StoreU(sum, d, out + c);
  }
  return c;
}

void WeightedRows(const float* matrix, std::size_t stride, std::span<const std::uint32_t> rows,
                  std::span<const float> x, std::size_t width, float* out) {
  const hn::ScalableTag<float> all;
  const hn::CappedTag<float, 1> one;
  const std::size_t c =
      SumColumns(all, matrix, stride, rows.data(), x.data(), rows.size(), 0, width, out);
  SumColumns(one, matrix, stride, rows.data(), x.data(), rows.size(), c, width, out);
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(weighted_rows, WeightedRows);

}  // namespace palate::kernels
#endif
