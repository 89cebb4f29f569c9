// What people gave an item, added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace palate {

/// One criterion of one item, over all people.
struct ItemTotal {
  double sum = 0;
  std::size_t count = 0;

  [[nodiscard]] double mean() const noexcept {
    return count > 0 ? sum / static_cast<double>(count) : 0;
  }
};
using TotalOf = std::function<ItemTotal(std::uint32_t item, std::size_t criterion)>;

}  // namespace palate
