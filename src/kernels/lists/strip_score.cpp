#include "kernels/lists/strip_score.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lists/strip_score.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/graph/bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {

// Adds what the matrices of one row give to two vectors of columns.
template <class D, class V>
HWY_INLINE void AddRow(D d, const float* row, std::size_t matrices, const float* x, V& low,
                       V& high) {
  for (std::size_t m = 0; m < matrices; ++m, row += score_width) {
    const auto factor = hn::Set(d, x[m]);
    low = hn::MulAdd(factor, hn::LoadU(d, row), low);
    high = hn::MulAdd(factor, hn::LoadU(d, row + hn::Lanes(d)), high);
  }
}

// Inlined with a known number of matrices, the loop over them is gone.
HWY_INLINE std::uint32_t Score(const float* strip, std::size_t matrices,
                               std::span<const std::uint32_t> rows, const float* x, float least,
                               float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const std::size_t stride = matrices * score_width;
  const std::size_t count = rows.size();
  std::uint32_t good = 0;
  for (std::size_t c = 0; c < score_width; c += 2 * n) {
    const float* at = strip + c;
    const float* factor = x;
    auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
    auto t0 = hn::Zero(d), t1 = hn::Zero(d), t2 = hn::Zero(d), t3 = hn::Zero(d);
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4, factor += 4 * matrices) {
      AddRow(d, at + rows[k] * stride, matrices, factor, s0, t0);
      AddRow(d, at + rows[k + 1] * stride, matrices, factor + matrices, s1, t1);
      AddRow(d, at + rows[k + 2] * stride, matrices, factor + 2 * matrices, s2, t2);
      AddRow(d, at + rows[k + 3] * stride, matrices, factor + 3 * matrices, s3, t3);
    }
    if (k < count) AddRow(d, at + rows[k] * stride, matrices, factor, s0, t0);
    if (k + 1 < count) AddRow(d, at + rows[k + 1] * stride, matrices, factor + matrices, s1, t1);
    if (k + 2 < count) {
      AddRow(d, at + rows[k + 2] * stride, matrices, factor + 2 * matrices, s2, t2);
    }
    const auto low = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    const auto high = hn::Add(hn::Add(t0, t1), hn::Add(t2, t3));
    hn::StoreU(low, d, out + c);
    hn::StoreU(high, d, out + c + n);
    good |= Bits(hn::Ge(low, hn::Set(d, least))) << c | Bits(hn::Ge(high, hn::Set(d, least)))
                                                            << (c + n);
  }
  return good;
}

std::uint32_t ScoreStrip(const float* strip, std::size_t matrices,
                         std::span<const std::uint32_t> rows, const float* x, float least,
                         float* out) {
  switch (matrices) {
    case 1:
      return Score(strip, 1, rows, x, least, out);
    case 2:
      return Score(strip, 2, rows, x, least, out);
    case 3:
      return Score(strip, 3, rows, x, least, out);
    default:
      return Score(strip, matrices, rows, x, least, out);
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(score_strip, ScoreStrip);

}  // namespace palate::kernels
#endif
