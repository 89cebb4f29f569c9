#include "kernels/graph/packed_dot.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/packed_dot.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/dense/dot-inl.hpp"
#include "kernels/graph/packed-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One group: its dot, and `logs` moves on.
HWY_INLINE float GroupDot(const std::uint16_t* masks, const float*& logs, std::size_t blocks,
                          const float* shift, Vector power, const float* y) {
  const Lanes d;
  const auto absent = hn::Set(d, no_link);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // A block is a vector, and what Dot adds up block by block never needs to be stored.
  auto even = hn::Zero(d);
  auto odd = hn::Zero(d);
  const auto add = [&](std::size_t b, Vector& sum) {
    const std::uint32_t mask = masks[b];
    if (mask == 0) return;
    Expand(mask, logs, absent, [&](std::size_t, Vector log) {
      const std::size_t at = b * block_width;
      const auto value = PowerOrZero(hn::Add(log, hn::LoadU(d, shift + at)), power);
      sum = hn::MulAdd(value, hn::LoadU(d, y + at), sum);
    });
    logs += std::popcount(mask);
  };
  for (std::size_t b = 0; b < blocks; b += 2) {
    add(b, even);
    if (b + 1 < blocks) add(b + 1, odd);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
#else
  HWY_ALIGN float values[16 * block_width];
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint32_t mask = masks[b];
    Expand(mask, logs, absent, [&](std::size_t lane, Vector log) {
      const std::size_t at = b * block_width + lane;
      hn::Store(PowerOrZero(hn::Add(log, hn::LoadU(d, shift + at)), power), d, values + at);
    });
    logs += std::popcount(mask);
  }
  return Dot(values, block_width, y, block_width, blocks);
#endif
}

PackedDot PowerDot(const std::uint16_t* masks, const float* logs, std::size_t blocks,
                   const float* shift, float power, const float* y, std::size_t group) {
  const auto s = hn::Set(Lanes(), power);
  const float* const begin = logs;
  double sum = 0;
  for (std::size_t b = 0; b < blocks; b += group) {
    const std::size_t at = b * block_width;
    sum += static_cast<double>(
        GroupDot(masks + b, logs, HWY_MIN(group, blocks - b), shift + at, s, y + at));
  }
  return {sum, static_cast<std::size_t>(logs - begin)};
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(PowerDot);

PackedDot power_dot(const PackedRow& row, std::size_t blocks, const float* shift, float power,
                    const float* y, std::size_t group) noexcept {
  return HWY_DYNAMIC_DISPATCH(PowerDot)(row.masks, row.logs, blocks, shift, power, y, group);
}

}  // namespace palate::kernels
#endif
