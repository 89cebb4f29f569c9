// The version of the library, and the one place where it stands: CMake, the Python package, the
// tool and model files take it from here.
#pragma once

#include <array>
#include <string_view>

#pragma GCC visibility push(default)
namespace palate {

inline constexpr std::string_view version = "0.2.0";

/// Its three numbers.
inline constexpr std::array<int, 3> version_numbers = [] {
  std::array<int, 3> numbers{};
  std::size_t at = 0;
  for (const char c : version) {
    if (c == '.') {
      ++at;
    } else {
      numbers[at] = 10 * numbers[at] + (c - '0');
    }
  }
  return numbers;
}();
inline constexpr int version_major = version_numbers[0];
inline constexpr int version_minor = version_numbers[1];
inline constexpr int version_patch = version_numbers[2];

/// Grows with every release: 1.2.3 is 10203.
inline constexpr int version_number = 10'000 * version_major + 100 * version_minor + version_patch;

}  // namespace palate
#pragma GCC visibility pop
