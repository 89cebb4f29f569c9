// The version of the library.
#pragma once

#include <string_view>

namespace palate {

inline constexpr std::string_view version = "0.1.0";

}  // namespace palate
