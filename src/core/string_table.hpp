// Many strings in one block of memory, found by index or by text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/array.hpp"
#include "core/parts.hpp"

namespace palate {

class StringTable {
 public:
  StringTable() = default;
  explicit StringTable(const std::vector<std::string>& strings);

  [[nodiscard]] std::size_t size() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }
  [[nodiscard]] std::string_view operator[](std::size_t k) const noexcept {
    return {text_.data() + offsets_[k], static_cast<std::size_t>(offsets_[k + 1] - offsets_[k])};
  }
  /// Binary search over the order by bytes.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const noexcept;

  void save(Parts& parts, const std::string& name) const;
  /// Checks that offsets and order are within bounds.
  [[nodiscard]] static StringTable load(const Parts& parts, const std::string& name);

 private:
  Array<char> text_;
  Array<std::uint64_t> offsets_;  // size() + 1
  Array<std::uint32_t> order_;    // indices in the order of the bytes
};

}  // namespace palate
