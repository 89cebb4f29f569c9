#include "kernels/dense/strip.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/strip.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/dense/dot-inl.hpp"
#include "kernels/graph/bits-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, block_width>;

// Two matrices at most, of several that lie side by side.
template <std::size_t Matrices>
HWY_INLINE void SumSome(const float* strip, std::size_t stride, const std::uint32_t* rows,
                        std::size_t count, const float* const* x, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const float* const x0 = x[0];
  const float* const x1 = x[Matrices - 1];
  for (std::size_t c = 0; c < block_width; c += n) {
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    for (std::size_t k = 0; k < count; ++k) {
      const float* row = strip + rows[k] * stride + c;
      sum0 = hn::MulAdd(hn::Set(d, x0[k]), hn::LoadU(d, row), sum0);
      if constexpr (Matrices == 2) {
        sum1 = hn::MulAdd(hn::Set(d, x1[k]), hn::LoadU(d, row + block_width), sum1);
      }
    }
    hn::StoreU(sum0, d, out + c);
    if constexpr (Matrices == 2) hn::StoreU(sum1, d, out + block_width + c);
  }
}

void SumRows(const float* strip, const std::uint32_t* rows, std::size_t count,
             const float* const* x, std::size_t matrices, float* out) {
  const std::size_t stride = matrices * block_width;
  std::size_t m = 0;
  for (; m + 2 <= matrices; m += 2) {
    SumSome<2>(strip + m * block_width, stride, rows, count, x + m, out + m * block_width);
  }
  if (m < matrices) {
    SumSome<1>(strip + m * block_width, stride, rows, count, x + m, out + m * block_width);
  }
}

void AddRows(const float* rows, std::size_t count, const float* x, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t c = 0; c < block_width; c += n) {
    auto s0 = hn::LoadU(d, out + c);
    auto s1 = hn::Zero(d);
    auto s2 = hn::Zero(d);
    auto s3 = hn::Zero(d);
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      const float* row = rows + k * block_width + c;
      s0 = hn::MulAdd(hn::Set(d, x[k]), hn::LoadU(d, row), s0);
      s1 = hn::MulAdd(hn::Set(d, x[k + 1]), hn::LoadU(d, row + block_width), s1);
      s2 = hn::MulAdd(hn::Set(d, x[k + 2]), hn::LoadU(d, row + 2 * block_width), s2);
      s3 = hn::MulAdd(hn::Set(d, x[k + 3]), hn::LoadU(d, row + 3 * block_width), s3);
    }
    for (; k < count; ++k) {
      s0 = hn::MulAdd(hn::Set(d, x[k]), hn::LoadU(d, rows + k * block_width + c), s0);
    }
    hn::StoreU(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), d, out + c);
  }
}

float StripsDot(const float* a, std::size_t a_stride, const float* y, std::size_t y_stride,
                std::size_t strips) {
  return Dot(a, a_stride, y, y_stride, strips);
}

double GroupedDot(const float* a, const float* y, std::size_t strips, std::size_t group) {
  double sum = 0;
  for (std::size_t at = 0; at < strips; at += group) {
    const std::size_t some = strips - at < group ? strips - at : group;
    sum += static_cast<double>(
        Dot(a + at * block_width, block_width, y + at * block_width, block_width, some));
  }
  return sum;
}

void StripsDots(const float* a, std::size_t row_size, const std::uint32_t* rows, std::size_t count,
                const float* y, std::size_t y_stride, std::size_t strips, double* sums) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  HWY_ALIGN float near[block_width * 16];  // y side by side: it serves all rows
  constexpr std::size_t most = 16;
  if (strips > most) {
    for (std::size_t k = 0; k < count; ++k) {
      sums[k] += static_cast<double>(Dot(a + rows[k] * row_size, block_width, y, y_stride, strips));
    }
    return;
  }
  for (std::size_t s = 0; s < strips; ++s) {
    for (std::size_t c = 0; c < block_width; c += n) {
      hn::Store(hn::LoadU(d, y + s * y_stride + c), d, near + s * block_width + c);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    sums[k] +=
        static_cast<double>(Dot(a + rows[k] * row_size, block_width, near, block_width, strips));
  }
}

void UpperBounds(const float* first, const float* estimate, const RadiusTerm* terms,
                 std::size_t count, float rounding, float* radius, float* upper) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t c = 0; c < block_width; c += n) {
    const auto one = hn::LoadU(d, first + c);
    const auto all = hn::LoadU(d, estimate + c);
    auto sum = hn::Mul(hn::Set(d, rounding), hn::Add(hn::Abs(one), hn::Abs(hn::Sub(all, one))));
    for (std::size_t k = 0; k < count; ++k) {
      sum = hn::MulAdd(hn::Set(d, terms[k].factor), hn::LoadU(d, terms[k].values + c), sum);
      sum = hn::MulAdd(hn::Set(d, terms[k].slack), hn::LoadU(d, terms[k].sizes + c), sum);
    }
    hn::StoreU(sum, d, radius + c);
    hn::StoreU(hn::Add(all, sum), d, upper + c);
  }
}

std::uint32_t AtLeast(const float* values, float least) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  std::uint32_t mask = 0;
  for (std::size_t c = 0; c < block_width; c += n) {
    mask |= Bits(hn::Ge(hn::LoadU(d, values + c), hn::Set(d, least))) << c;
  }
  return mask;
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(SumRows);
HWY_EXPORT(AddRows);
HWY_EXPORT(StripsDot);
HWY_EXPORT(GroupedDot);
HWY_EXPORT(StripsDots);
HWY_EXPORT(UpperBounds);
HWY_EXPORT(AtLeast);

void sum_rows(const float* strip, std::span<const std::uint32_t> rows,
              std::span<const float* const> x, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(SumRows)(strip, rows.data(), rows.size(), x.data(), x.size(), out);
}

void add_rows(const float* rows, std::size_t count, const float* x, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(AddRows)(rows, count, x, out);
}

float strips_dot(const float* a, std::size_t a_stride, const float* y, std::size_t y_stride,
                 std::size_t strips) noexcept {
  return HWY_DYNAMIC_DISPATCH(StripsDot)(a, a_stride, y, y_stride, strips);
}

double grouped_dot(const float* a, const float* y, std::size_t strips, std::size_t group) noexcept {
  return HWY_DYNAMIC_DISPATCH(GroupedDot)(a, y, strips, group);
}

void strips_dots(const float* a, std::size_t row_size, std::span<const std::uint32_t> rows,
                 const float* y, std::size_t y_stride, std::size_t strips, double* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(StripsDots)
  (a, row_size, rows.data(), rows.size(), y, y_stride, strips, sums);
}

void upper_bounds(const float* first, const float* estimate, std::span<const RadiusTerm> terms,
                  float rounding, float* radius, float* upper) noexcept {
  HWY_DYNAMIC_DISPATCH(UpperBounds)
  (first, estimate, terms.data(), terms.size(), rounding, radius, upper);
}

std::uint32_t at_least(const float* values, float least) noexcept {
  return HWY_DYNAMIC_DISPATCH(AtLeast)(values, least);
}

}  // namespace palate::kernels
#endif
