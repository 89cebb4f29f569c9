// How a harness says that something does not hold.
#pragma once

#include <stdexcept>
#include <string>

namespace palate::fuzz {

/// Throws what no harness catches: libFuzzer then keeps the input, a test says where it was.
/// (std::source_location would say it too; clang 14 does not have it.)
inline void must(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (holds) return;
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": does not hold");
}

}  // namespace palate::fuzz
