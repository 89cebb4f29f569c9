#include "kernels/lay.hpp"

#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lay.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "kernels/packed-inl.hpp"
#include "kernels/transpose-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Blocks that are transposed before their powers are taken: by then the small stores of the
// transposition have left the way of the wide loads.
constexpr std::size_t blocks_at_once = 8;

// Calls store(by_column, columns, first) with some blocks of columns, given column by column as
// shifted logarithms.
template <class Store>
HWY_INLINE void Lay(const PackedRow* rows, std::size_t count, std::size_t blocks,
                    const Store& store) {
  HWY_ALIGN float by_row[block_width * block_width];
  HWY_ALIGN float by_column[blocks_at_once * block_width * block_width];
  const Lanes d;
  const auto absent = hn::Set(d, no_link);
  std::array<const float*, block_width> next{};
  for (std::size_t r = 0; r < count; ++r) next[r] = rows[r].logs;
  for (std::size_t k = 0; k < block_width * block_width; k += hn::Lanes(d)) {
    hn::Store(absent, d, by_row + k);
  }
  for (std::size_t b = 0; b < blocks; b += blocks_at_once) {
    const std::size_t some = blocks - b < blocks_at_once ? blocks - b : blocks_at_once;
    for (std::size_t k = 0; k < some; ++k) {
      for (std::size_t r = 0; r < count; ++r) {
        const std::uint32_t mask = rows[r].masks[b + k];
        float* to = by_row + r * block_width;
        Expand(mask, next[r], absent,
               [&](std::size_t lane, Vector log) { hn::Store(log, d, to + lane); });
        next[r] += std::popcount(mask);
      }
      Transpose(by_row, by_column + k * block_width * block_width);
    }
    store(static_cast<const float*>(by_column), some * block_width, b * block_width);
  }
}

void LayStrip(const PackedRow* rows, std::size_t count, std::size_t blocks, const float* shift,
              const StripOutput* outputs, std::size_t powers, std::size_t stride) {
  const Lanes d;
  const std::size_t n = hn::Lanes(d);
  HWY_ALIGN float shifts[block_width] = {};
  for (std::size_t r = 0; r < count; ++r) shifts[r] = shift[r];
  Lay(rows, count, blocks, [&](const float* by_column, std::size_t columns, std::size_t first) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t lane = 0; lane < block_width; lane += n) {
        const auto log =
            hn::Add(hn::Load(d, by_column + j * block_width + lane), hn::Load(d, shifts + lane));
        for (std::size_t p = 0; p < powers; ++p) {
          hn::StoreU(PowerOrZero(log, hn::Set(d, outputs[p].power)), d,
                     outputs[p].out + (first + j) * stride + lane);
        }
      }
    }
  });
}

using Words = hn::VFromD<hn::RebindToUnsigned<Lanes>>;

// Rounded up; just below the logarithm of the largest code.
constexpr float highest_log = 12.9998F;

HWY_INLINE Words Code(Vector log, Vector power, Vector log_factor) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const auto value = Exp2(d, hn::MulAdd(log, power, log_factor), highest_log);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return Words{_mm512_cvt_roundps_epu32(value.raw, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
#else
  const hn::RebindToSigned<Lanes> integers;
  return hn::BitCast(words, hn::ConvertTo(integers, hn::Ceil(value)));
#endif
}

template <bool Both>
HWY_INLINE Words Codes(Vector log, Vector low_power, Vector low_factor, Vector high_power,
                       Vector high_factor) {
  const Words low = Code(log, low_power, low_factor);
  if constexpr (!Both) return low;
  return hn::Or(low, hn::ShiftLeft<16>(Code(log, high_power, high_factor)));
}

template <bool Both>
HWY_INLINE void LaySome(const PackedRow* rows, std::size_t count, std::size_t blocks,
                        const float* shift, const float* column_shift, const CodedPower& low,
                        const CodedPower& high, std::uint32_t* out, std::size_t stride) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const std::size_t n = hn::Lanes(d);
  HWY_ALIGN float shifts[block_width] = {};
  HWY_ALIGN float low_factors[block_width] = {};
  HWY_ALIGN float high_factors[block_width] = {};
  for (std::size_t r = 0; r < count; ++r) {
    shifts[r] = shift[r];
    low_factors[r] = low.log_factor[r];
    if constexpr (Both) high_factors[r] = high.log_factor[r];
  }
  const auto low_power = hn::Set(d, low.power);
  const auto high_power = hn::Set(d, high.power);
  Lay(rows, count, blocks, [&](const float* by_column, std::size_t columns, std::size_t first) {
    for (std::size_t lane = 0; lane < block_width; lane += n) {
      const auto shifted = hn::Load(d, shifts + lane);
      const auto low_factor = hn::Load(d, low_factors + lane);
      const auto high_factor = hn::Load(d, high_factors + lane);
      for (std::size_t j = 0; j < columns; ++j) {
        const auto log = hn::Add(hn::Load(d, by_column + j * block_width + lane),
                                 hn::Add(shifted, hn::Set(d, column_shift[first + j])));
        hn::StoreU(Codes<Both>(log, low_power, low_factor, high_power, high_factor), words,
                   out + (first + j) * stride + lane);
      }
    }
  });
}

void LayCodes(const PackedRow* rows, std::size_t count, std::size_t blocks, const float* shift,
              const float* column_shift, const CodedPower& low, const CodedPower& high,
              std::uint32_t* out, std::size_t stride) {
  if (high.power != 0) {
    LaySome<true>(rows, count, blocks, shift, column_shift, low, high, out, stride);
  } else {
    LaySome<false>(rows, count, blocks, shift, column_shift, low, high, out, stride);
  }
}

void LargestLogs(const PackedRow* rows, std::size_t count, std::size_t blocks, const float* shift,
                 std::size_t first, float* out) {
  const Lanes d;
  const auto absent = hn::Set(d, no_link);
  for (std::size_t k = 0; k < blocks * block_width; k += hn::Lanes(d)) {
    hn::StoreU(absent, d, out + k);
  }
  for (std::size_t r = 0; r < count; ++r) {
    const auto own = hn::Set(d, shift[r]);
    const float* logs = rows[r].logs;
    const std::size_t mine = first + r;
    const float kept = mine < blocks * block_width ? out[mine] : 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint32_t mask = rows[r].masks[b];
      if (mask == 0) continue;
      Expand(mask, logs, absent, [&](std::size_t lane, Vector log) {
        float* to = out + b * block_width + lane;
        hn::StoreU(hn::Max(hn::LoadU(d, to), hn::Add(log, own)), d, to);
      });
      logs += std::popcount(mask);
    }
    if (mine < blocks * block_width) out[mine] = kept;
  }
}

void CodeLogs(const float* logs, std::size_t blocks, const float* column_shift,
              const CodedPower& low, const CodedPower& high, std::uint32_t* out) {
  const Lanes d;
  const hn::RebindToUnsigned<Lanes> words;
  const auto low_power = hn::Set(d, low.power);
  const auto high_power = hn::Set(d, high.power);
  const auto low_factor = hn::Set(d, low.log_factor[0]);
  const auto high_factor = hn::Set(d, high.log_factor[0]);
  for (std::size_t k = 0; k < blocks * block_width; k += hn::Lanes(d)) {
    const auto log = hn::Add(hn::LoadU(d, logs + k), hn::LoadU(d, column_shift + k));
    const auto both = high.power != 0
                          ? Codes<true>(log, low_power, low_factor, high_power, high_factor)
                          : Codes<false>(log, low_power, low_factor, high_power, high_factor);
    hn::StoreU(both, words, out + k);
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(LayStrip);
HWY_EXPORT(LayCodes);
HWY_EXPORT(LargestLogs);
HWY_EXPORT(CodeLogs);

void lay_strip(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
               std::span<const StripOutput> outputs, std::size_t stride) noexcept {
  HWY_DYNAMIC_DISPATCH(LayStrip)
  (rows.data(), rows.size(), blocks, shift, outputs.data(), outputs.size(), stride);
}

void lay_codes(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
               const float* column_shift, const CodedPower& low, const CodedPower& high,
               std::uint32_t* out, std::size_t stride) noexcept {
  HWY_DYNAMIC_DISPATCH(LayCodes)
  (rows.data(), rows.size(), blocks, shift, column_shift, low, high, out, stride);
}

void largest_logs(std::span<const PackedRow> rows, std::size_t blocks, const float* shift,
                  std::size_t first, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(LargestLogs)(rows.data(), rows.size(), blocks, shift, first, out);
}

void code_logs(const float* logs, std::size_t blocks, const float* column_shift,
               const CodedPower& low, const CodedPower& high, std::uint32_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(CodeLogs)(logs, blocks, column_shift, low, high, out);
}

}  // namespace palate::kernels
#endif
