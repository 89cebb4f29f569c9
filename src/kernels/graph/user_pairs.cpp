#include "kernels/graph/user_pairs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graph/user_pairs.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palate::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t group = 16;
constexpr std::size_t groups_at_once = 8;
constexpr std::size_t most_asked = 512;  // items of a rater that are asked for early

// What is asked for early of a rater's list: whole groups from the item itself on.
struct Span {
  std::size_t first = 0;  // place
  std::size_t count = 0;
};
HWY_INLINE Span SpanOf(const Rater& rater, const RatedList& list) {
  const std::size_t first = rater.at / group * group;
  const std::size_t count = std::size_t{list.group} * group + list.count - first;
  return {first, count < most_asked ? count : most_asked};
}

// For each rater: dots_of(rater) says how their items are multiplied, and dots(k, lane) is then the
// vector of those from the k-th of their list on. Users lie apart: `ask` wants the next ones early.
template <class Item, class Ask, class DotsOf>
HWY_INLINE void ForRaters(std::span<const Rater> raters, const RatedList* lists, const Item* items,
                          float* sums, const Ask& ask, const DotsOf& dots_of) {
  const hn::CappedTag<float, group> d;
  const std::size_t n = hn::Lanes(d);
  constexpr std::size_t ahead = 4;
  HWY_ALIGN float products[group * groups_at_once];
  for (std::size_t r = 0; r < raters.size(); ++r) {
    const RatedList list = lists[raters[r].user];
    if (r + 2 * ahead < raters.size()) hwy::Prefetch(&lists[raters[r + 2 * ahead].user]);
    if (r + ahead < raters.size()) {
      const Rater& later = raters[r + ahead];
      const Span some = SpanOf(later, lists[later.user]);
      for (std::size_t k = 0; k < some.count; k += 64 / sizeof(Item)) {
        hwy::Prefetch(items + some.first + k);
      }
      ask(later, some);
    }
    const auto dots = dots_of(raters[r], list);
    const std::size_t own = raters[r].at - std::size_t{list.group} * group;
    std::size_t k = own % group;  // what stands before the item itself is passed over
    for (std::size_t from = own - k; from < list.count; from += group * groups_at_once) {
      const std::size_t left_over = list.count - from;
      const std::size_t some =
          left_over < group * groups_at_once ? left_over : group * groups_at_once;
      for (std::size_t at = 0; at < some; at += group) {
        for (std::size_t lane = 0; lane < group; lane += n) {
          hn::Store(dots(from + at, lane), d, products + at + lane);
        }
      }
      const Item* to = items + std::size_t{list.group} * group + from;
      // The items of a rater differ: four sums need not wait for each other.
      for (; k + 4 <= some; k += 4) {
        const std::size_t i0 = to[k], i1 = to[k + 1], i2 = to[k + 2], i3 = to[k + 3];
        const float s0 = sums[i0] + products[k];
        const float s1 = sums[i1] + products[k + 1];
        const float s2 = sums[i2] + products[k + 2];
        const float s3 = sums[i3] + products[k + 3];
        sums[i0] = s0;
        sums[i1] = s1;
        sums[i2] = s2;
        sums[i3] = s3;
      }
      for (; k < some; ++k) sums[to[k]] += products[k];
      k = 0;
    }
  }
}

// Where the ratings of a list begin, and where that of the item itself stands.
template <class Value>
struct Mine {
  const Value* all;
  const Value* left;

  Mine(const Value* values, const Rater& rater, const RatedList& list, std::size_t width)
      : all(values + std::size_t{list.group} * width * group),
        left(values + std::size_t{rater.at} / group * width * group + rater.at % group) {}
};

// Criteria known at compile time (0: not) keep the ratings of item i in registers.
template <std::size_t Width>
void AddPairs(std::span<const Rater> raters, const RatedList* lists, const float* values,
              std::size_t any_width, const std::uint32_t* items, float* sums) {
  const hn::CappedTag<float, group> d;
  const std::size_t width = Width == 0 ? any_width : Width;
  const auto ask = [&](const Rater&, const Span& some) HWY_ATTR {
    const float* first = values + some.first * width;
    for (std::size_t k = 0; k < some.count * width; k += group) hwy::Prefetch(first + k);
  };
  ForRaters(
      raters, lists, items, sums, ask, [&](const Rater& rater, const RatedList& list) HWY_ATTR {
        return [mine = Mine(values, rater, list, width), width, d](std::size_t k,
                                                                   std::size_t lane) HWY_ATTR {
          const float* x = mine.all + k * width + lane;
          auto dot = hn::Mul(hn::Set(d, mine.left[0]), hn::LoadU(d, x));
          for (std::size_t c = 1; c < width; ++c) {
            dot = hn::MulAdd(hn::Set(d, mine.left[c * group]), hn::LoadU(d, x + c * group), dot);
          }
          return dot;
        };
      });
}

template <std::size_t Width>
void AddCoded(std::span<const Rater> raters, const RatedList* lists, const std::uint8_t* codes,
              const float* weights, std::size_t any_width, const std::uint16_t* items,
              float* sums) {
  const hn::CappedTag<float, group> d;
  const hn::Rebind<std::int32_t, decltype(d)> integers;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const std::size_t width = Width == 0 ? any_width : Width;
  const auto ask = [&](const Rater& rater, const Span& some) HWY_ATTR {
    const std::uint8_t* first = codes + some.first * width;
    for (std::size_t k = 0; k < some.count * width; k += 64) hwy::Prefetch(first + k);
    hwy::Prefetch(weights + std::size_t{rater.user} * width);
  };
  ForRaters(
      raters, lists, items, sums, ask, [&](const Rater& rater, const RatedList& list) HWY_ATTR {
        return [mine = Mine(codes, rater, list, width),
                weight = weights + std::size_t{rater.user} * width, width, d, integers,
                bytes](std::size_t k, std::size_t lane) HWY_ATTR {
          const std::uint8_t* x = mine.all + k * width + lane;
          auto dot = hn::Zero(d);
          for (std::size_t c = 0; c < width; ++c) {
            // The product of two codes is exact: one rounding for each criterion.
            const auto product =
                hn::Mul(hn::Set(d, static_cast<float>(mine.left[c * group])),
                        hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, x + c * group))));
            dot = hn::MulAdd(hn::Set(d, weight[c]), product, dot);
          }
          return dot;
        };
      });
}

// Of functions by their number of criteria: those that data have most often, and any.
template <class Function>
Function* ForWidth(std::size_t width, Function* one, Function* four, Function* five, Function* six,
                   Function* any) {
  return width == 1 ? one : width == 4 ? four : width == 5 ? five : width == 6 ? six : any;
}

void AddUserPairs(std::span<const Rater> raters, const RatedList* lists, const float* values,
                  std::size_t width, const std::uint32_t* items, float* sums) {
  ForWidth(width, AddPairs<1>, AddPairs<4>, AddPairs<5>, AddPairs<6>, AddPairs<0>)(
      raters, lists, values, width, items, sums);
}

void AddCodedPairs(std::span<const Rater> raters, const RatedList* lists, const std::uint8_t* codes,
                   const float* weights, std::size_t width, const std::uint16_t* items,
                   float* sums) {
  ForWidth(width, AddCoded<1>, AddCoded<4>, AddCoded<5>, AddCoded<6>, AddCoded<0>)(
      raters, lists, codes, weights, width, items, sums);
}

}  // namespace palate::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palate::kernels {

PALATE_KERNEL(add_user_pairs, AddUserPairs);
PALATE_KERNEL(add_coded_pairs, AddCodedPairs);

}  // namespace palate::kernels
#endif
