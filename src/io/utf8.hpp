// Small helpers for text out of a file.
#pragma once

#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace palate::io {

using palate::shown;
using palate::valid_utf8;

[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
/// ASCII letters only.
[[nodiscard]] std::string lowered(std::string_view text);

}  // namespace palate::io
