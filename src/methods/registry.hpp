// All methods. To add one: a folder with its description (describe.hpp), and a line in
// registry.cpp.
#pragma once

#include <span>
#include <string_view>

#include "methods/method_entry.hpp"

namespace palate {

[[nodiscard]] std::span<const MethodEntry> method_entries();

struct NamedMethod {
  const MethodEntry* entry;
  const MethodDescription::Alias* alias = nullptr;  ///< where it was named by one
};
/// By name or alias. Throws Error{usage} naming those there are.
[[nodiscard]] NamedMethod find_method(std::string_view name);

}  // namespace palate
