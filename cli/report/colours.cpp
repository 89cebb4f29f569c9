#include "colours.hpp"

#include <fmt/format.h>

namespace palate::cli {
namespace {

constexpr std::string_view either = "light-dark(";

/// The style sheet for one theme; the colours may have parentheses of their own.
std::string in_one_theme(std::string_view css, bool dark) {
  std::string out;
  for (std::size_t at = css.find(either); at != std::string_view::npos; at = css.find(either)) {
    out += css.substr(0, at);
    css.remove_prefix(at + either.size());
    std::size_t comma = std::string_view::npos;
    std::size_t end = 0;
    for (int depth = 0; end < css.size() && (depth > 0 || css[end] != ')'); ++end) {
      depth += css[end] == '(' ? 1 : css[end] == ')' ? -1 : 0;
      if (depth == 0 && css[end] == ',') comma = end;
    }
    const std::string_view both = css.substr(0, end);
    out += dark ? both.substr(both.find_first_not_of(' ', comma + 1)) : both.substr(0, comma);
    css.remove_prefix(end + 1);
  }
  return out.append(css);
}

}  // namespace

std::string in_both_themes(std::string_view css) {
  return fmt::format("{}@media screen and (prefers-color-scheme: dark) {{\n{}}}\n",
                     in_one_theme(css, false), in_one_theme(css, true));
}

std::string criterion_colours(std::string_view css, std::size_t criteria) {
  std::size_t colours = 0;
  while (css.find(fmt::format("--c{}:", colours)) != std::string_view::npos) ++colours;
  std::string out;
  for (std::size_t c = 0; c < criteria; ++c) {
    const std::size_t k = c < colours ? c : 1 + (c - colours) % (colours - 1);
    out += fmt::format(".k{}{{--k:var(--c{})}}\n", c, k);
  }
  return out;
}

}  // namespace palate::cli
