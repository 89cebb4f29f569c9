#include "kernels/dense/panel.hpp"

// Highway compiles this file once per instruction set and picks one at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense/panel.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most a panel wide; narrower instruction sets loop over parts of the row.
using Lanes = hn::CappedTag<float, panel_width>;

void ScatterRow(std::span<const std::uint32_t> columns, std::span<const float> values,
                const float* w, float* y) {
  const Lanes d;
  const std::size_t step = hn::Lanes(d);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto value = hn::Set(d, values[k]);
    float* row = y + std::size_t{columns[k]} * panel_width;
    for (std::size_t lane = 0; lane < panel_width; lane += step) {
      hn::StoreU(hn::MulAdd(value, hn::LoadU(d, w + lane), hn::LoadU(d, row + lane)), d,
                 row + lane);
    }
  }
}

void Multiply(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> columns,
              std::span<const float> values, const float* x, float* y) {
  const Lanes d;
  const std::size_t step = hn::Lanes(d);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (std::size_t lane = 0; lane < panel_width; lane += step) {
      auto sum = hn::Zero(d);
      for (std::size_t k = offsets[i]; k < offsets[i + 1]; ++k) {
        const float* row = x + std::size_t{columns[k]} * panel_width;
        sum = hn::MulAdd(hn::Set(d, values[k]), hn::LoadU(d, row + lane), sum);
      }
      hn::StoreU(sum, d, y + i * panel_width + lane);
    }
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(ScatterRow);
HWY_EXPORT(Multiply);

void scatter_row(std::span<const std::uint32_t> columns, std::span<const float> values,
                 const float* w, float* y) noexcept {
  HWY_DYNAMIC_DISPATCH(ScatterRow)(columns, values, w, y);
}

void multiply(std::span<const std::uint64_t> offsets, std::span<const std::uint32_t> columns,
              std::span<const float> values, const float* x, float* y) noexcept {
  HWY_DYNAMIC_DISPATCH(Multiply)(offsets, columns, values, x, y);
}

}  // namespace palate::kernels
#endif
