#include "report/report.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "assets.hpp"
#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

struct Colour {
  std::uint32_t light, dark;  ///< 0xRRGGBB on a light and on a dark ground
};

// Found by a search that keeps hues and maximises the smallest difference between two colours, in
// CIELAB, for normal sight and the three kinds of dichromacy (at least 22). Each has at least 3:1
// against its ground. A set of equal lightness was tried first: some pairs fell to 4.
constexpr std::array<Colour, 8> base = {{
    {0x38393d, 0xe3e8f1},  // grey
    {0x0291f6, 0x5982e9},  // blue
    {0xd5751d, 0xde9715},  // orange
    {0x5d7e62, 0x92e4a1},  // green
    {0x630e73, 0xab73ad},  // purple
    {0xae884e, 0xf3d972},  // sand
    {0x453db7, 0xa4aff8},  // indigo
    {0x933b05, 0xe45758},  // brick
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

// The rules for the classes of the criteria, see html::colour_class.
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

struct Section {
  std::string_view id, title;
  std::string html;
};

std::string navigation(const std::vector<Section>& sections) {
  std::string out = "<nav aria-label=\"Sections\"><ul>\n";
  for (const Section& section : sections) {
    if (section.html.empty()) continue;
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
  }
  return out + "</ul></nav>\n";
}

}  // namespace

std::string report_html(const ReportInput& input) {
  if (input.ratings == nullptr || input.model == nullptr) {
    throw Error(ErrorCode::internal, "a report needs ratings and a model");
  }
  const Context context{input, input.model->info(), input.model->choice(), ask_about_people(input)};
  const std::vector<Section> sections = {
      {"people", "Recommendations", people_section(context)},
      {"why", "Why this one?", heat_map_section(context)},
      {"quality", "Quality", quality_section(context)},
      {"data", "Data", data_section(context)},
      {"model", "How it works", model_section(context)},
      {"notes", "How to read this", notes_section(context)},
  };

  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
      "content=\"light "
      "dark\">\n";
  page += fmt::format("<title>{}Palate report</title>\n",
                      input.title.empty() ? std::string() : html::text(input.title) + " \u2013 ");
  page += "<style>\n";
  page += assets::report_css;
  page += palette_css(input.ratings->criteria().size());
  page += "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n";
  page += header_section(context);
  page += navigation(sections);
  page += "<main id=\"main\">\n";
  for (const Section& section : sections) page += section.html;
  page += "</main>\n<script>\n";
  page += assets::report_js;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace palate::cli
