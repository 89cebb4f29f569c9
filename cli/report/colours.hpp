// The explorer's style sheet of colours, for a page that has to do without light-dark().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace palate::cli {

/// "--x: light-dark(a, b);" as "--x: a;", and once more with b for dark screens: browsers of before
/// 2024 do not know light-dark(), and paper is never dark.
[[nodiscard]] std::string in_both_themes(std::string_view css);

/// A rule for the class of each criterion (html::colour_class): --k is one of --c0, --c1, ...
/// Beyond the last colour they begin again without overall's, as in web/src/lib/colours.ts.
[[nodiscard]] std::string criterion_colours(std::string_view css, std::size_t criteria);

}  // namespace palate::cli
