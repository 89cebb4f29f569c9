#include "kernels/graph/column.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/column.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

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

// Two terms at most: their sums do not wait for each other.
template <std::size_t Terms>
HWY_INLINE void SumTerms(const float* logs, const std::uint32_t* rows, std::size_t count,
                         const ColumnTerm* terms, float* out) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  const hn::CappedTag<float, 1> one;
  const auto p0 = hn::Set(d, terms[0].power);
  const auto p1 = hn::Set(d, terms[Terms - 1].power);
  const float* x0 = terms[0].x;
  const float* x1 = terms[Terms - 1].x;
  HWY_ALIGN float some_logs[rows_at_once] = {};
  HWY_ALIGN float powers0[rows_at_once];
  HWY_ALIGN float powers1[rows_at_once];
  auto sum0 = hn::Zero(one);
  auto sum1 = hn::Zero(one);
  for (std::size_t k = 0; k < count; k += rows_at_once) {
    const std::size_t some = count - k < rows_at_once ? count - k : rows_at_once;
    // One by one: where gathering is made safe against leaks it takes longer than this.
    for (std::size_t r = 0; r < some; ++r) some_logs[r] = logs[rows[k + r]];
    for (std::size_t r = 0; r < some; r += n) {
      const auto log = hn::Load(d, some_logs + r);
      hn::Store(PowerOrZero(log, p0), d, powers0 + r);
      if constexpr (Terms == 2) hn::Store(PowerOrZero(log, p1), d, powers1 + r);
    }
    for (std::size_t r = 0; r < some; ++r) {
      sum0 = hn::MulAdd(hn::Set(one, x0[k + r]), hn::Set(one, powers0[r]), sum0);
      if constexpr (Terms == 2) {
        sum1 = hn::MulAdd(hn::Set(one, x1[k + r]), hn::Set(one, powers1[r]), sum1);
      }
    }
  }
  out[0] = hn::GetLane(sum0);
  if constexpr (Terms == 2) out[1] = hn::GetLane(sum1);
}

void SumColumn(const float* logs, const std::uint32_t* rows, std::size_t count,
               const ColumnTerm* terms, std::size_t size, float* out) {
  for (; size >= 2; size -= 2, terms += 2, out += 2) SumTerms<2>(logs, rows, count, terms, out);
  if (size == 1) SumTerms<1>(logs, rows, count, terms, out);
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(UnpackLogs);
HWY_EXPORT(SumColumn);

void unpack_logs(const PackedRow& row, std::size_t blocks, float shift, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(UnpackLogs)(row, blocks, shift, out);
}

void sum_column(const float* logs, std::span<const std::uint32_t> rows,
                std::span<const ColumnTerm> terms, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(SumColumn)(logs, rows.data(), rows.size(), terms.data(), terms.size(), out);
}

}  // namespace palate::kernels
#endif
