#include "kernels/strip_score.hpp"

#include "kernels/strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/strip_score.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, strip_width>;

// `sum` and what the matrices of one row add.
template <class D, class V>
HWY_INLINE V AddRow(D d, const float* row, std::size_t matrices, const float* x, V sum) {
  for (std::size_t m = 0; m < matrices; ++m) {
    sum = hn::MulAdd(hn::Set(d, x[m]), hn::LoadU(d, row + m * strip_width), sum);
  }
  return sum;
}

// Inlined with a known number of matrices, the loop over them is gone.
HWY_INLINE void Score(const float* strip, std::size_t matrices, const std::uint32_t* rows,
                      std::size_t count, const float* x, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const std::size_t stride = matrices * strip_width;
  for (std::size_t c = 0; c < strip_width; c += n) {
    const float* at = strip + c;
    const float* factor = x;
    auto s0 = hn::Zero(d);
    auto s1 = hn::Zero(d);
    auto s2 = hn::Zero(d);
    auto s3 = hn::Zero(d);
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4, factor += 4 * matrices) {
      s0 = AddRow(d, at + rows[k] * stride, matrices, factor, s0);
      s1 = AddRow(d, at + rows[k + 1] * stride, matrices, factor + matrices, s1);
      s2 = AddRow(d, at + rows[k + 2] * stride, matrices, factor + 2 * matrices, s2);
      s3 = AddRow(d, at + rows[k + 3] * stride, matrices, factor + 3 * matrices, s3);
    }
    if (k < count) s0 = AddRow(d, at + rows[k] * stride, matrices, factor, s0);
    if (k + 1 < count) s1 = AddRow(d, at + rows[k + 1] * stride, matrices, factor + matrices, s1);
    if (k + 2 < count) {
      s2 = AddRow(d, at + rows[k + 2] * stride, matrices, factor + 2 * matrices, s2);
    }
    hn::StoreU(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), d, out + c);
  }
}

void ScoreStrip(const float* strip, std::size_t matrices, const std::uint32_t* rows,
                std::size_t count, const float* x, float* out) {
  switch (matrices) {
    case 1:
      return Score(strip, 1, rows, count, x, out);
    case 2:
      return Score(strip, 2, rows, count, x, out);
    case 3:
      return Score(strip, 3, rows, count, x, out);
    default:
      return Score(strip, matrices, rows, count, x, out);
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(ScoreStrip);

void score_strip(const float* strip, std::size_t matrices, std::span<const std::uint32_t> rows,
                 const float* x, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(ScoreStrip)(strip, matrices, rows.data(), rows.size(), x, out);
}

}  // namespace palate::kernels
#endif
