// How much a packed file may unpack to.
#pragma once

#include <cstddef>

namespace palate::io {

/// Ratings come out at 3 to 30 times their packed size. What unpacks to far more is made to fill
/// the memory of whoever opens it.
inline constexpr std::size_t most_times_unpacked = 200;
[[nodiscard]] constexpr std::size_t unpack_limit(std::size_t packed_bytes) noexcept {
  constexpr std::size_t always_allowed = std::size_t{64} << 20U;
  return always_allowed + most_times_unpacked * packed_bytes;
}

}  // namespace palate::io
