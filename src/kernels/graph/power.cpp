#include "kernels/graph/power.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/power.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(s log x) in double: in single precision the error of the logarithm would grow with its size.
void Power(std::span<const float> in, double exponent, std::span<float> out) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> single;
  const std::size_t step = hn::Lanes(d);
  const auto s = hn::Set(d, exponent);
  const auto zero = hn::Zero(d);
  const auto one = [&](const float* from, float* to) {
    const auto x = hn::PromoteTo(d, hn::LoadU(single, from));
    const auto positive = hn::Gt(x, zero);
    const auto safe = hn::IfThenElse(positive, x, hn::Set(d, 1.0));
    const auto y = hn::Exp(d, hn::Mul(s, hn::Log(d, safe)));
    hn::StoreU(hn::DemoteTo(single, hn::IfThenElseZero(positive, y)), single, to);
  };
  std::size_t k = 0;
  for (; k + step <= in.size(); k += step) one(in.data() + k, out.data() + k);
  if (k < in.size()) {  // the rest through a buffer, so that every value takes the same path
    float buffer[HWY_MAX_BYTES / sizeof(double)] = {};
    for (std::size_t n = k; n < in.size(); ++n) buffer[n - k] = in[n];
    one(buffer, buffer);
    for (std::size_t n = k; n < in.size(); ++n) out[n] = buffer[n - k];
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(power, Power);

}  // namespace palate::kernels
#endif
