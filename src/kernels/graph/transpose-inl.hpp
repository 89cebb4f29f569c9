// A tile of 16 x 16 floats turned over, to be included once per instruction set (Highway's way).
#include <cstddef>
#include <cstring>

#if defined(PALATE_KERNELS_TRANSPOSE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PALATE_KERNELS_TRANSPOSE_INL
#undef PALATE_KERNELS_TRANSPOSE_INL
#else
#define PALATE_KERNELS_TRANSPOSE_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// to[j * 16 + r] = from[r * 16 + j]. Four rows at a time: after two rounds of interleaving, each
// block of 128 bits holds one column of the four.
HWY_INLINE void Transpose(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t k = 0; k < 16 * 16; ++k) {
    to[k % 16 * 16 + k / 16] = from[k];
  }
#else
  const hn::CappedTag<float, 16> d;
  const std::size_t n = hn::Lanes(d);
  HWY_ALIGN float columns[4 * 16];
  for (std::size_t r = 0; r < 16; r += 4) {
    for (std::size_t j = 0; j < 16; j += n) {
      const float* rows = from + r * 16 + j;
      const auto r0 = hn::Load(d, rows);
      const auto r1 = hn::Load(d, rows + 16);
      const auto r2 = hn::Load(d, rows + 2 * 16);
      const auto r3 = hn::Load(d, rows + 3 * 16);
      const auto lower02 = hn::InterleaveLower(d, r0, r2);
      const auto lower13 = hn::InterleaveLower(d, r1, r3);
      const auto upper02 = hn::InterleaveUpper(d, r0, r2);
      const auto upper13 = hn::InterleaveUpper(d, r1, r3);
      hn::Store(hn::InterleaveLower(d, lower02, lower13), d, columns);
      hn::Store(hn::InterleaveUpper(d, lower02, lower13), d, columns + n);
      hn::Store(hn::InterleaveLower(d, upper02, upper13), d, columns + 2 * n);
      hn::Store(hn::InterleaveUpper(d, upper02, upper13), d, columns + 3 * n);
      for (std::size_t quad = 0; quad < n / 4; ++quad) {
        for (std::size_t k = 0; k < 4; ++k) {
          std::memcpy(to + (j + 4 * quad + k) * 16 + r, columns + k * n + 4 * quad, 16);
        }
      }
    }
  }
#endif
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
