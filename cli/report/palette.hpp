// One colour per criterion, the same everywhere on the page, for the light and the dark theme.
#pragma once

#include <cstddef>
#include <string>

namespace palate::cli {

/// The CSS class that sets --k to the colour of the criterion.
[[nodiscard]] std::string colour_class(std::size_t criterion);

/// The rules for these classes.
[[nodiscard]] std::string palette_css(std::size_t criteria);

}  // namespace palate::cli
