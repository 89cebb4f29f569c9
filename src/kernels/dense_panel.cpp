#include "kernels/dense_panel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_panel.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;

constexpr std::size_t ahead = 4;  // rows

// Eight vectors of sums live in registers while the rows go by.
template <class RowOf>
HWY_INLINE void Combine(const float* strip, std::size_t count, const RowOf& row_of, const float* x,
                        float* out, bool add) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t first = 0; first < strip_width; first += 8 * n) {
    float* to = out + first;
    auto s0 = add ? hn::LoadU(d, to) : hn::Zero(d);
    auto s1 = add ? hn::LoadU(d, to + n) : hn::Zero(d);
    auto s2 = add ? hn::LoadU(d, to + 2 * n) : hn::Zero(d);
    auto s3 = add ? hn::LoadU(d, to + 3 * n) : hn::Zero(d);
    auto s4 = add ? hn::LoadU(d, to + 4 * n) : hn::Zero(d);
    auto s5 = add ? hn::LoadU(d, to + 5 * n) : hn::Zero(d);
    auto s6 = add ? hn::LoadU(d, to + 6 * n) : hn::Zero(d);
    auto s7 = add ? hn::LoadU(d, to + 7 * n) : hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k) {
      if (k + ahead < count) {  // rows lie apart: ask for them early
        const float* later = strip + row_of(k + ahead) * strip_width + first;
        for (std::size_t c = 0; c < 8 * n; c += 16) hwy::Prefetch(later + c);
      }
      const float* row = strip + row_of(k) * strip_width + first;
      const auto w = hn::Set(d, x[k]);
      s0 = hn::MulAdd(w, hn::LoadU(d, row), s0);
      s1 = hn::MulAdd(w, hn::LoadU(d, row + n), s1);
      s2 = hn::MulAdd(w, hn::LoadU(d, row + 2 * n), s2);
      s3 = hn::MulAdd(w, hn::LoadU(d, row + 3 * n), s3);
      s4 = hn::MulAdd(w, hn::LoadU(d, row + 4 * n), s4);
      s5 = hn::MulAdd(w, hn::LoadU(d, row + 5 * n), s5);
      s6 = hn::MulAdd(w, hn::LoadU(d, row + 6 * n), s6);
      s7 = hn::MulAdd(w, hn::LoadU(d, row + 7 * n), s7);
    }
    hn::StoreU(s0, d, to);
    hn::StoreU(s1, d, to + n);
    hn::StoreU(s2, d, to + 2 * n);
    hn::StoreU(s3, d, to + 3 * n);
    hn::StoreU(s4, d, to + 4 * n);
    hn::StoreU(s5, d, to + 5 * n);
    hn::StoreU(s6, d, to + 6 * n);
    hn::StoreU(s7, d, to + 7 * n);
  }
}

void CombineRows(const float* strip, const std::uint32_t* rows, std::size_t count, const float* x,
                 float* out) {
  Combine(
      strip, count, [rows](std::size_t k) { return std::size_t{rows[k]}; }, x, out, false);
}

void AddAllRows(const float* strip, std::size_t count, const float* x, float* out) {
  Combine(
      strip, count, [](std::size_t k) { return k; }, x, out, true);
}

double StripDot(const float* a, const float* b) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> single;
  const std::size_t n = hn::Lanes(d);
  auto s0 = hn::Zero(d);
  auto s1 = hn::Zero(d);
  for (std::size_t c = 0; c < strip_width; c += 2 * n) {
    s0 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, a + c)),
                    hn::PromoteTo(d, hn::LoadU(single, b + c)), s0);
    s1 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, a + c + n)),
                    hn::PromoteTo(d, hn::LoadU(single, b + c + n)), s1);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(CombineRows);
HWY_EXPORT(AddAllRows);
HWY_EXPORT(StripDot);

void combine_rows(const float* strip, std::span<const std::uint32_t> rows, const float* x,
                  float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(CombineRows)(strip, rows.data(), rows.size(), x, out);
}

void add_all_rows(const float* strip, std::size_t count, const float* x, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(AddAllRows)(strip, count, x, out);
}

double strip_dot(const float* a, const float* b) noexcept {
  return HWY_DYNAMIC_DISPATCH(StripDot)(a, b);
}

}  // namespace palate::kernels
#endif
