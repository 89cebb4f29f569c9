// Sets of criteria as bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace palate {

/// A set of criteria: bit c stands for criterion c.
using CriterionSet = std::uint32_t;

/// The first `count` criteria, at most 32.
[[nodiscard]] constexpr CriterionSet first_criteria(std::size_t count) noexcept {
  return count >= 32 ? ~CriterionSet{0} : (CriterionSet{1} << count) - 1;
}

}  // namespace palate
