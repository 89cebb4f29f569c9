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

// So many matrices, of several that lie side by side.
template <std::size_t Matrices>
HWY_INLINE void SumSome(const float* strip, std::size_t stride, std::span<const std::uint32_t> rows,
                        const float* const* x, float* out) {
  const Lanes d;
  for (std::size_t c = 0; c < block_width; c += hn::Lanes(d)) {
    hn::VFromD<Lanes> sum[Matrices];
    for (auto& one : sum) one = hn::Zero(d);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const float* row = strip + rows[k] * stride + c;
      for (std::size_t m = 0; m < Matrices; ++m) {
        sum[m] = hn::MulAdd(hn::Set(d, x[m][k]), hn::LoadU(d, row + m * block_width), sum[m]);
      }
    }
    for (std::size_t m = 0; m < Matrices; ++m) hn::StoreU(sum[m], d, out + m * block_width + c);
  }
}

void SumRows(const float* strip, std::span<const std::uint32_t> rows,
             std::span<const float* const> x, float* out) {
  const std::size_t stride = x.size() * block_width;
  std::size_t m = 0;
  for (; m + 2 <= x.size(); m += 2) {
    SumSome<2>(strip + m * block_width, stride, rows, x.data() + m, out + m * block_width);
  }
  if (m < x.size()) {
    SumSome<1>(strip + m * block_width, stride, rows, x.data() + m, out + m * block_width);
  }
}

void AddRows(const float* rows, std::size_t count, const float* x, float* out) {
  const Lanes d;
  for (std::size_t c = 0; c < block_width; c += hn::Lanes(d)) {
    const auto add = [&](std::size_t k, auto& sum) HWY_ATTR {
      sum = hn::MulAdd(hn::Set(d, x[k]), hn::LoadU(d, rows + k * block_width + c), sum);
    };
    hn::StoreU(SumInFours(d, hn::LoadU(d, out + c), count, add), d, out + c);
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

void StripsDots(const float* a, std::size_t row_size, std::span<const std::uint32_t> rows,
                const float* y, std::size_t y_stride, std::size_t strips, double* sums) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  HWY_ALIGN float near[block_width * 16];  // y side by side: it serves all rows
  constexpr std::size_t most = 16;
  if (strips > most) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      sums[k] += static_cast<double>(Dot(a + rows[k] * row_size, block_width, y, y_stride, strips));
    }
    return;
  }
  for (std::size_t s = 0; s < strips; ++s) {
    for (std::size_t c = 0; c < block_width; c += n) {
      hn::Store(hn::LoadU(d, y + s * y_stride + c), d, near + s * block_width + c);
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    sums[k] +=
        static_cast<double>(Dot(a + rows[k] * row_size, block_width, near, block_width, strips));
  }
}

void UpperBounds(const float* first, const float* estimate, std::span<const RadiusTerm> terms,
                 float rounding, float* radius, float* upper) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  for (std::size_t c = 0; c < block_width; c += n) {
    const auto one = hn::LoadU(d, first + c);
    const auto all = hn::LoadU(d, estimate + c);
    auto sum = hn::Mul(hn::Set(d, rounding), hn::Add(hn::Abs(one), hn::Abs(hn::Sub(all, one))));
    for (const RadiusTerm& term : terms) {
      sum = hn::MulAdd(hn::Set(d, term.factor), hn::LoadU(d, term.values + c), sum);
      sum = hn::MulAdd(hn::Set(d, term.slack), hn::LoadU(d, term.sizes + c), sum);
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

double SquareSum(std::span<const float> y) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> single;
  const std::size_t n = hn::Lanes(d);
  auto sum = hn::Zero(d);
  std::size_t k = 0;
  for (; k + n <= y.size(); k += n) {
    const auto v = hn::PromoteTo(d, hn::LoadU(single, y.data() + k));
    sum = hn::MulAdd(v, v, sum);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; k < y.size(); ++k) total += static_cast<double>(y[k]) * static_cast<double>(y[k]);
  return total;
}

void ScatterRow(std::span<const std::uint32_t> columns, std::span<const float> values,
                const float* w, float* y) {
  const Lanes d;
  const std::size_t step = hn::Lanes(d);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto value = hn::Set(d, values[k]);
    float* row = y + std::size_t{columns[k]} * panel_width;
    for (std::size_t lane = 0; lane < panel_width; lane += step) {
      hn::StoreU(hn::MulAdd(value, hn::LoadU(d, w + lane), hn::LoadU(d, row + lane)), d,
                 row + lane);
    }
  }
}

void Multiply(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> columns,
              std::span<const float> values, const float* x, float* y) {
  const Lanes d;
  const std::size_t step = hn::Lanes(d);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (std::size_t lane = 0; lane < panel_width; lane += step) {
      auto sum = hn::Zero(d);
      for (std::size_t k = offsets[i]; k < offsets[i + 1]; ++k) {
        const float* row = x + std::size_t{columns[k]} * panel_width;
        sum = hn::MulAdd(hn::Set(d, values[k]), hn::LoadU(d, row + lane), sum);
      }
      hn::StoreU(sum, d, y + i * panel_width + lane);
    }
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(sum_rows, SumRows);
PALATE_KERNEL(add_rows, AddRows);
PALATE_KERNEL(strips_dot, StripsDot);
PALATE_KERNEL(grouped_dot, GroupedDot);
PALATE_KERNEL(strips_dots, StripsDots);
PALATE_KERNEL(upper_bounds, UpperBounds);
PALATE_KERNEL(at_least, AtLeast);
PALATE_KERNEL(square_sum, SquareSum);
PALATE_KERNEL(scatter_row, ScatterRow);
PALATE_KERNEL(multiply, Multiply);

}  // namespace palate::kernels
#endif
