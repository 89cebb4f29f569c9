#include "kernels/dense/square_sum.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/square_sum.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

HWY_EXPORT(SquareSum);

double square_sum(std::span<const float> y) noexcept {
  return HWY_DYNAMIC_DISPATCH(SquareSum)(y.data(), y.size());
}

}  // namespace palate::kernels
#endif
