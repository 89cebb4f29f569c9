#include "kernels/graph/packed_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/packed_sums.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/dense/dot-inl.hpp"
#include "kernels/graph/packed-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void UnpackLogs(const PackedRow& row, std::size_t blocks, float shift, float* out) {
  const Lanes d;
  const auto own = hn::Set(d, shift);
  const auto absent = hn::Set(d, no_link);
  const float* logs = row.logs;
  for (std::size_t b = 0; b < blocks; ++b) {
    Expand(row.masks[b], logs, absent, [&](std::size_t lane, Vector log) {
      hn::StoreU(hn::Add(log, own), d, out + b * block_width + lane);
    });
    logs += std::popcount(static_cast<std::uint32_t>(row.masks[b]));
  }
}

constexpr std::size_t rows_at_once = 64;

// So many terms: their sums do not wait for each other.
template <std::size_t Terms>
HWY_INLINE void SumTerms(const float* logs, std::span<const std::uint32_t> rows,
                         const ColumnTerm* terms, float* out) {
  const Lanes d;
  const hn::CappedTag<float, 1> one;
  HWY_ALIGN float some_logs[rows_at_once] = {};
  HWY_ALIGN float powers[Terms][rows_at_once];
  hn::VFromD<decltype(one)> sum[Terms];
  for (auto& mine : sum) mine = hn::Zero(one);
  for (std::size_t k = 0; k < rows.size(); k += rows_at_once) {
    const std::size_t some = HWY_MIN(rows_at_once, rows.size() - k);
    // One by one: where gathering is made safe against leaks it takes longer than this.
    for (std::size_t r = 0; r < some; ++r) some_logs[r] = logs[rows[k + r]];
    for (std::size_t r = 0; r < some; r += hn::Lanes(d)) {
      const auto log = hn::Load(d, some_logs + r);
      for (std::size_t t = 0; t < Terms; ++t) {
        hn::Store(PowerOrZero(log, hn::Set(d, terms[t].power)), d, powers[t] + r);
      }
    }
    for (std::size_t r = 0; r < some; ++r) {
      for (std::size_t t = 0; t < Terms; ++t) {
        sum[t] = hn::MulAdd(hn::Set(one, terms[t].x[k + r]), hn::Set(one, powers[t][r]), sum[t]);
      }
    }
  }
  for (std::size_t t = 0; t < Terms; ++t) out[t] = hn::GetLane(sum[t]);
}

void SumColumn(const float* logs, std::span<const std::uint32_t> rows,
               std::span<const ColumnTerm> terms, float* out) {
  std::size_t t = 0;
  for (; t + 2 <= terms.size(); t += 2) SumTerms<2>(logs, rows, terms.data() + t, out + t);
  if (t < terms.size()) SumTerms<1>(logs, rows, terms.data() + t, out + t);
}

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

PackedDot PowerDot(const PackedRow& row, std::size_t blocks, const float* shift, float power,
                   const float* y, std::size_t group) {
  const auto s = hn::Set(Lanes(), power);
  const float* logs = row.logs;
  double sum = 0;
  for (std::size_t b = 0; b < blocks; b += group) {
    const std::size_t at = b * block_width;
    sum += static_cast<double>(
        GroupDot(row.masks + b, logs, HWY_MIN(group, blocks - b), shift + at, s, y + at));
  }
  return {sum, static_cast<std::size_t>(logs - row.logs)};
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(unpack_logs, UnpackLogs);
PALATE_KERNEL(sum_column, SumColumn);
PALATE_KERNEL(power_dot, PowerDot);

}  // namespace palate::kernels
#endif
