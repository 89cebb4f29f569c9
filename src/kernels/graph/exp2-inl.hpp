// 2^x for vectors of floats, to be included once per instruction set (Highway's way).
#if defined(PALATE_KERNELS_EXP2_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALATE_KERNELS_EXP2_INL
#undef PALATE_KERNELS_EXP2_INL
#else
#define PALATE_KERNELS_EXP2_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {

/// 2^x with a relative error below 2e-7 for x in [-126, most]; below the smallest normal number for
/// x up to -127, 0 for x up to -150, and never above 2^most.
template <class D, class V = hwy::HWY_NAMESPACE::VFromD<D>>
HWY_INLINE V Exp2(D d, V x, float most = 127.0F) {
  namespace hn = hwy::HWY_NAMESPACE;
  x = hn::Min(x, hn::Set(d, most));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // One instruction puts the exponent in, and makes 0 of what is too small.
  const V whole = hn::Round(x);
#else
  // So large a number has no room for fractions: adding it rounds, and leaves the whole part in the
  // lowest bits.
  x = hn::Max(x, hn::Set(d, -127.0F));
  const V rounder = hn::Set(d, 12582912.0F);  // 1.5 * 2^23
  const V shifted = hn::Add(x, rounder);
  const V whole = hn::Sub(shifted, rounder);
#endif
  const V r = hn::Sub(x, whole);
  // A polynomial of degree 5 for 2^r, r in [-1/2, 1/2].
  V p = hn::Set(d, 0.00132647273F);
  p = hn::MulAdd(p, r, hn::Set(d, 0.00967151299F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0555073358F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.240222424F));
  p = hn::MulAdd(p, r, hn::Set(d, 0.693147004F));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0F));
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return V{_mm512_scalef_ps(p.raw, whole.raw)};
#else
  // At -127 the polynomial is 1, and its bits less those of the exponent are 0.
  const hn::RebindToSigned<D> integers;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(integers, p), exponent));
#endif
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
