#include "palette.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace palate::cli {
namespace {

struct Colour {
  std::uint32_t light, dark;  ///< 0xRRGGBB on a light and on a dark ground
};

// Hues apart for the common kinds of colour blindness, and lightness apart between neighbours; each
// has at least 3:1 against its ground.
constexpr std::array<Colour, 8> base = {{
    {0x4b5563, 0xa3adbb},  // slate
    {0x1768ac, 0x5aa9e6},  // blue
    {0xd0720b, 0xf2a541},  // orange
    {0x0b8f76, 0x3cc7a8},  // green
    {0xa8327d, 0xe58ac6},  // magenta
    {0x8a7500, 0xe3d26f},  // olive
    {0x6246b5, 0xae9cf2},  // violet
    {0x8c2f1b, 0xf08a75},  // brick
}};

// Criteria beyond the eighth take the hues again, drawn towards black (light) or white (dark).
std::uint32_t shade(std::uint32_t colour, std::uint32_t towards, std::size_t round) {
  const double share = 0.28 * static_cast<double>(round);
  std::uint32_t out = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double from = (colour >> shift) & 0xFF;
    const double to = (towards >> shift) & 0xFF;
    out |= static_cast<std::uint32_t>(from + (to - from) * share) << shift;
  }
  return out;
}

}  // namespace

std::string colour_class(std::size_t criterion) { return fmt::format("k{}", criterion); }

std::string palette_css(std::size_t criteria) {
  std::string light, dark;
  for (std::size_t c = 0; c < criteria; ++c) {
    const Colour& colour = base[c % base.size()];
    const std::size_t round = c / base.size();
    light += fmt::format(".k{}{{--k:#{:06x}}}\n", c, shade(colour.light, 0x000000, round));
    dark += fmt::format(".k{}{{--k:#{:06x}}}\n", c, shade(colour.dark, 0xffffff, round));
  }
  return fmt::format("{}@media screen and (prefers-color-scheme: dark){{\n{}}}\n", light, dark);
}

}  // namespace palate::cli
