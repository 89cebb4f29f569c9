// The page's style and script, made into strings at build time (assets/embed.cmake).
#pragma once

#include <string_view>

namespace palate::cli::assets {

extern const std::string_view report_css;
extern const std::string_view report_js;
extern const std::string_view colours_css;  ///< of the explorer

}  // namespace palate::cli::assets
