// Vectors of up to 16 floats and comparisons of them as bits, to be included once per instruction
// set (Highway's way).
#include <array>
#include <cstdint>

#if defined(PALATE_KERNELS_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALATE_KERNELS_BITS_INL
#undef PALATE_KERNELS_BITS_INL
#else
#define PALATE_KERNELS_BITS_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;

/// Bit k says what holds of lane k, of up to 16. Highway's own way goes through memory.
template <class Mask>
HWY_INLINE std::uint32_t Bits(Mask mask) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return mask.raw;
#elif HWY_TARGET == HWY_AVX2
  return static_cast<std::uint32_t>(_mm256_movemask_ps(mask.raw));
#else
  std::array<std::uint8_t, 8> bits{};
  hn::StoreMaskBits(Lanes(), mask, bits.data());
  return bits[0] | static_cast<std::uint32_t>(bits[1]) << 8;
#endif
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
