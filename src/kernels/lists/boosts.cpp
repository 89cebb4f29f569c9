#include "kernels/lists/boosts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lists/boosts.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> BoostsAt(D d, std::span<const float* const> z, std::span<const float> steps,
                               std::size_t i) {
  auto sum = hn::Zero(d);
  for (std::size_t k = 0; k < z.size(); ++k) {
    sum = hn::MulAdd(hn::Set(d, steps[k]), hn::LoadU(d, z[k] + i), sum);
  }
  return hn::Exp(d, hn::Min(hn::Max(sum, hn::Set(d, -40.0F)), hn::Set(d, 40.0F)));
}

void ExpOfSums(std::span<const float* const> z, std::span<const float> steps,
               std::span<float> out) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= out.size(); i += hn::Lanes(d)) {
    hn::StoreU(BoostsAt(d, z, steps, i), d, out.data() + i);
  }
  for (; i < out.size(); ++i) hn::StoreU(BoostsAt(one, z, steps, i), one, out.data() + i);
}

template <class D>
HWY_INLINE void BoostAt(D d, float* score, const float* boost) {
  const auto raw = hn::LoadU(d, score);
  const auto by = hn::LoadU(d, boost);
  const auto negative = hn::Lt(raw, hn::Zero(d));
  hn::StoreU(hn::IfThenElse(negative, hn::Div(raw, by), hn::Mul(raw, by)), d, score);
}

void BoostScores(std::span<float> scores, std::span<const float> boost) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= scores.size(); i += hn::Lanes(d)) {
    BoostAt(d, scores.data() + i, boost.data() + i);
  }
  for (; i < scores.size(); ++i) BoostAt(one, scores.data() + i, boost.data() + i);
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(exp_of_sums, ExpOfSums);
PALATE_KERNEL(boost_scores, BoostScores);

}  // namespace palate::kernels
#endif
