#include "ranking/memory_budget.hpp"

#include <fmt/format.h>

#include "base/memory.hpp"
#include "palate/error.hpp"

namespace palate {

// Of what there is, so much may be planned for.
constexpr double usable = 0.9;

std::string amount_of_memory(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

MemoryBudget::MemoryBudget(std::size_t limit)
    : given_(limit > 0),
      bytes_(limit > 0 ? static_cast<double>(limit)
                       : usable * static_cast<double>(available_memory())) {}

std::string MemoryBudget::text() const {
  return given_ ? "the limit is " + amount_of_memory(bytes_)
                : "this machine has " + amount_of_memory(bytes_) + " to spare";
}

void MemoryBudget::check(double needed, const std::string& hint) const {
  if (needed <= bytes_) return;
  throw Error(ErrorCode::too_large,
              fmt::format("fitting these ratings needs about {} of memory, and {}",
                          amount_of_memory(needed), text()),
              {}, hint);
}

}  // namespace palate
