// The checksum of the model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace palate {

/// XXH3, 64 bits, seed 0. Finds accidents, not attacks.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

}  // namespace palate
