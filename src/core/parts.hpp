// A model taken apart into named arrays and a description: what the model file stores. A method
// knows how to take itself apart and to come back; model_file knows how to keep parts; neither
// knows the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/array.hpp"
#include "palate/error.hpp"

namespace palate {

enum class ElementType : std::uint32_t {
  u8 = 1,
  u32 = 2,
  u64 = 3,
  i64 = 4,
  f32 = 5,
  f64 = 6,
  u16 = 7,
  i16 = 8
};

template <class T>
[[nodiscard]] constexpr ElementType element_type() noexcept {
  if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, char>)
    return ElementType::u8;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return ElementType::u16;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return ElementType::i16;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return ElementType::u32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return ElementType::u64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return ElementType::i64;
  else if constexpr (std::is_same_v<T, float>)
    return ElementType::f32;
  else {
    static_assert(std::is_same_v<T, double>, "a type that the model file can hold");
    return ElementType::f64;
  }
}

[[nodiscard]] constexpr std::size_t element_size(ElementType type) noexcept {
  switch (type) {
    case ElementType::u8:
      return 1;
    case ElementType::u16:
    case ElementType::i16:
      return 2;
    case ElementType::u32:
    case ElementType::f32:
      return 4;
    default:
      return 8;
  }
}

struct Part {
  ElementType type = ElementType::u8;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< keeps `bytes` alive
};

struct Parts {
  std::string description;  ///< JSON text: method, settings, sizes
  std::map<std::string, Part, std::less<>> arrays;

  template <class T>
  void put(std::string name, const Array<T>& array) {
    auto keep = std::make_shared<const Array<T>>(array);
    arrays[std::move(name)] = {element_type<T>(), std::as_bytes(keep->span()), keep};
  }
  [[nodiscard]] bool has(std::string_view name) const { return arrays.contains(name); }
  /// Throws Error{corrupt} if there is no such array of this type.
  template <class T>
  [[nodiscard]] Array<T> get(std::string_view name) const {
    const auto found = arrays.find(name);
    if (found == arrays.end() || found->second.type != element_type<T>()) {
      throw Error(ErrorCode::corrupt, "the model lacks its part '" + std::string(name) + "'");
    }
    const Part& part = found->second;
    return {{reinterpret_cast<const T*>(part.bytes.data()), part.bytes.size() / sizeof(T)},
            part.owner};
  }
};

}  // namespace palate
