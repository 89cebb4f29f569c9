// The published settings on other data.
#pragma once

#include <span>
#include <string_view>

#include "palate/method.hpp"

namespace palate {

/// As preset(), over any number of criteria: where there are more than the preset is for, its
/// filters for criteria other than overall go round again; where there are fewer, the last are
/// left out.
[[nodiscard]] CaGf preset_for(std::string_view name, std::span<const Criterion> criteria);

}  // namespace palate
