// The bytes of a model file, version 3 (docs/model-file.md): head, table of sections, names,
// description, zeros, checksum of all that; then the sections.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace palate::model_layout {

// No UTF-8 text begins with 0x89; the line feed shows a transfer that changed line ends.
inline constexpr std::array<unsigned char, 8> magic = {0x89, 'P', 'A', 'L', 'A', 'T', 'E', '\n'};
inline constexpr std::uint32_t byte_order_mark = 0x01020304;
inline constexpr std::uint32_t other_byte_order_mark = 0x04030201;
inline constexpr std::uint32_t version = 3;
/// Sections begin at multiples of this: a cache line, and the widest vector register.
inline constexpr std::uint64_t alignment = 64;

struct Head {
  std::array<unsigned char, 8> magic;
  std::uint32_t byte_order;
  std::uint32_t version;
  std::uint64_t file_bytes;
  std::uint64_t header_bytes;  ///< where the sections begin; the checksum is in its last 8 bytes
  std::uint64_t description_bytes;
  std::uint32_t sections;
  std::uint32_t name_bytes;  ///< of all names together
};
static_assert(sizeof(Head) == 48 && std::is_trivially_copyable_v<Head>);

struct Section {
  std::uint32_t name_offset;  ///< from the beginning of the names
  std::uint32_t name_bytes;
  std::uint32_t type;  ///< ElementType
  std::uint32_t zero;
  std::uint64_t count;   ///< elements
  std::uint64_t offset;  ///< from the beginning of the file
  std::uint64_t bytes;
  std::uint64_t checksum;
};
static_assert(sizeof(Section) == 48 && std::is_trivially_copyable_v<Section>);
static_assert(sizeof(std::size_t) == 8, "offsets are 64 bits wide");

/// x rounded up; x must be at least `alignment` below 2^64.
[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t x) noexcept {
  return (x + alignment - 1) / alignment * alignment;
}

/// All that precedes the sections, whose own bytes must not exceed 2^62 in sum.
[[nodiscard]] constexpr std::uint64_t header_bytes(std::uint64_t sections, std::uint64_t name_bytes,
                                                   std::uint64_t description_bytes) noexcept {
  return aligned(sizeof(Head) + sections * sizeof(Section) + name_bytes + description_bytes +
                 sizeof(std::uint64_t));
}

/// Copies a T out of `bytes` at `offset`, which the caller has checked.
template <class T>
[[nodiscard]] T read_at(std::span<const std::byte> bytes, std::uint64_t offset) noexcept {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace palate::model_layout
