#include "kernels/user_pairs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/user_pairs.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t group = 16;
constexpr std::size_t groups_at_once = 8;

// Criteria known at compile time (0: not) keep the ratings of item i in registers.
template <std::size_t Width>
void AddPairs(const Rater* raters, std::size_t count, const float* values, std::size_t any_width,
              const std::uint32_t* items, float* sums) {
  const hn::CappedTag<float, group> d;
  const std::size_t n = hn::Lanes(d);
  const std::size_t width = Width == 0 ? any_width : Width;
  HWY_ALIGN float dots[group * groups_at_once];
  for (std::size_t r = 0; r < count; ++r) {
    const Rater& rater = raters[r];
    const float* x = values + std::size_t{rater.group} * width * group;
    const std::uint32_t* mine = items + std::size_t{rater.group} * group;
    if (r + 4 < count) {  // users lie apart: ask for the next ones early
      const float* later = values + std::size_t{raters[r + 4].group} * width * group;
      for (std::size_t c = 0; c < 2 * width; ++c) hwy::Prefetch(later + c * group);
      hwy::Prefetch(items + std::size_t{raters[r + 4].group} * group);
    }
    const float* left = x + rater.at / group * width * group + rater.at % group;
    for (std::size_t from = 0; from < rater.count; from += group * groups_at_once) {
      const std::size_t left_over = rater.count - from;
      const std::size_t some =
          left_over < group * groups_at_once ? left_over : group * groups_at_once;
      for (std::size_t k = 0; k < some; k += group, x += width * group) {
        for (std::size_t lane = 0; lane < group; lane += n) {
          auto dot = hn::Mul(hn::Set(d, left[0]), hn::LoadU(d, x + lane));
          for (std::size_t c = 1; c < width; ++c) {
            dot = hn::MulAdd(hn::Set(d, left[c * group]), hn::LoadU(d, x + c * group + lane), dot);
          }
          hn::Store(dot, d, dots + k + lane);
        }
      }
      const std::uint32_t* to = mine + from;
      for (std::size_t k = 0; k < some; ++k) sums[to[k]] += dots[k];
    }
  }
}

template <std::size_t Width>
void AddCoded(const Rater* raters, std::size_t count, const std::uint8_t* codes,
              const float* weights, std::size_t any_width, const std::uint16_t* items,
              float* sums) {
  const hn::CappedTag<float, group> d;
  const hn::Rebind<std::int32_t, decltype(d)> integers;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const std::size_t n = hn::Lanes(d);
  const std::size_t width = Width == 0 ? any_width : Width;
  HWY_ALIGN float dots[group * groups_at_once];
  for (std::size_t r = 0; r < count; ++r) {
    const Rater& rater = raters[r];
    const std::uint8_t* x = codes + std::size_t{rater.group} * width * group;
    const std::uint16_t* mine = items + std::size_t{rater.group} * group;
    const float* weight = weights + std::size_t{rater.user} * width;
    if (r + 4 < count) {  // users lie apart: ask for the next ones early
      const Rater& later = raters[r + 4];
      const std::uint8_t* first = codes + std::size_t{later.group} * width * group;
      for (std::size_t k = 0; k < 8; ++k) hwy::Prefetch(first + k * 64);
      hwy::Prefetch(items + std::size_t{later.group} * group);
      hwy::Prefetch(weights + std::size_t{later.user} * width);
    }
    const std::uint8_t* left = x + rater.at / group * width * group + rater.at % group;
    for (std::size_t from = 0; from < rater.count; from += group * groups_at_once) {
      const std::size_t left_over = rater.count - from;
      const std::size_t some =
          left_over < group * groups_at_once ? left_over : group * groups_at_once;
      for (std::size_t k = 0; k < some; k += group, x += width * group) {
        for (std::size_t lane = 0; lane < group; lane += n) {
          auto dot = hn::Zero(d);
          for (std::size_t c = 0; c < width; ++c) {
            // The product of two codes is exact, so that those of (i, j) and (j, i) are the same.
            const auto product = hn::Mul(
                hn::Set(d, static_cast<float>(left[c * group])),
                hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, x + c * group + lane))));
            dot = hn::MulAdd(hn::Set(d, weight[c]), product, dot);
          }
          hn::Store(dot, d, dots + k + lane);
        }
      }
      const std::uint16_t* to = mine + from;
      for (std::size_t k = 0; k < some; ++k) sums[to[k]] += dots[k];
    }
  }
}

void AddUserPairs(const Rater* raters, std::size_t count, const float* values, std::size_t width,
                  const std::uint32_t* items, float* sums) {
  switch (width) {
    case 1:
      return AddPairs<1>(raters, count, values, width, items, sums);
    case 4:
      return AddPairs<4>(raters, count, values, width, items, sums);
    case 5:
      return AddPairs<5>(raters, count, values, width, items, sums);
    case 6:
      return AddPairs<6>(raters, count, values, width, items, sums);
    default:
      return AddPairs<0>(raters, count, values, width, items, sums);
  }
}

void AddCodedPairs(const Rater* raters, std::size_t count, const std::uint8_t* codes,
                   const float* weights, std::size_t width, const std::uint16_t* items,
                   float* sums) {
  switch (width) {
    case 1:
      return AddCoded<1>(raters, count, codes, weights, width, items, sums);
    case 4:
      return AddCoded<4>(raters, count, codes, weights, width, items, sums);
    case 5:
      return AddCoded<5>(raters, count, codes, weights, width, items, sums);
    case 6:
      return AddCoded<6>(raters, count, codes, weights, width, items, sums);
    default:
      return AddCoded<0>(raters, count, codes, weights, width, items, sums);
  }
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

HWY_EXPORT(AddUserPairs);
HWY_EXPORT(AddCodedPairs);

void add_user_pairs(std::span<const Rater> raters, const float* values, std::size_t width,
                    const std::uint32_t* items, float* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(AddUserPairs)
  (raters.data(), raters.size(), values, width, items, sums);
}

void add_coded_pairs(std::span<const Rater> raters, const std::uint8_t* codes, const float* weights,
                     std::size_t width, const std::uint16_t* items, float* sums) noexcept {
  HWY_DYNAMIC_DISPATCH(AddCodedPairs)
  (raters.data(), raters.size(), codes, weights, width, items, sums);
}

}  // namespace palate::kernels
#endif
