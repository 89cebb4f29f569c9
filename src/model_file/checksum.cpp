#include "model_file/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace palate {

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace palate
