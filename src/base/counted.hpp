// Numbers of things in words, for messages, the terminal and pages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace palate {

/// 1234567 as "1,234,567".
[[nodiscard]] inline std::string grouped(std::size_t number) {
  std::string out = std::to_string(number);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

/// "1 user", "2,000 users"; `many` where it is not one with an s.
[[nodiscard]] inline std::string counted(std::size_t number, std::string_view one,
                                         std::string_view many = {}) {
  std::string out = grouped(number) + " ";
  if (number == 1 || many.empty()) out += one;
  if (number != 1) out += many.empty() ? "s" : many;
  return out;
}

}  // namespace palate
