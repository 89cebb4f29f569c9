#include "kernels/sparse_vector.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse_vector.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double SparseDot(const std::uint32_t* columns, const float* values, std::size_t count,
                 const float* y) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> single;
  const hn::Rebind<std::int32_t, decltype(d)> index;
  const std::size_t n = hn::Lanes(d);
  auto s0 = hn::Zero(d);
  auto s1 = hn::Zero(d);
  const auto product = [&](std::size_t k, auto sum) {
    const auto at = hn::LoadU(index, reinterpret_cast<const std::int32_t*>(columns + k));
    return hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, values + k)),
                      hn::PromoteTo(d, hn::GatherIndex(single, y, at)), sum);
  };
  std::size_t k = 0;
  for (; k + 2 * n <= count; k += 2 * n) {
    s0 = product(k, s0);
    s1 = product(k + n, s1);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
  for (; k < count; ++k) sum += static_cast<double>(values[k]) * static_cast<double>(y[columns[k]]);
  return sum;
}

// One at a time: the fused multiply-add is what gives the bits of combine_rows.
// multiply-adds.
void ScatterAdd(const std::uint32_t* columns, const float* values, std::size_t count, float x,
                float* y) {
  const hn::CappedTag<float, 1> one;
  const auto w = hn::Set(one, x);
  for (std::size_t k = 0; k < count; ++k) {
    float* to = y + columns[k];
    hn::StoreU(hn::MulAdd(w, hn::LoadU(one, values + k), hn::LoadU(one, to)), one, to);
  }
}

double SquareSum(const float* y, std::size_t count) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> single;
  const std::size_t n = hn::Lanes(d);
  auto sum = hn::Zero(d);
  std::size_t k = 0;
  for (; k + n <= count; k += n) {
    const auto v = hn::PromoteTo(d, hn::LoadU(single, y + k));
    sum = hn::MulAdd(v, v, sum);
  }
  double total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; k < count; ++k) total += static_cast<double>(y[k]) * static_cast<double>(y[k]);
  return total;
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(SparseDot);
HWY_EXPORT(ScatterAdd);
HWY_EXPORT(SquareSum);

double sparse_dot(std::span<const std::uint32_t> columns, const float* values,
                  const float* y) noexcept {
  return HWY_DYNAMIC_DISPATCH(SparseDot)(columns.data(), values, columns.size(), y);
}

void scatter_add(std::span<const std::uint32_t> columns, const float* values, float x,
                 float* y) noexcept {
  HWY_DYNAMIC_DISPATCH(ScatterAdd)(columns.data(), values, columns.size(), x, y);
}

double square_sum(std::span<const float> y) noexcept {
  return HWY_DYNAMIC_DISPATCH(SquareSum)(y.data(), y.size());
}

}  // namespace palate::kernels
#endif
