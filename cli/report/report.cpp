#include "report/report.hpp"

#include <fmt/format.h>

#include "assets.hpp"
#include "colours.hpp"
#include "html.hpp"
#include "sections.hpp"

namespace palate::cli {
namespace {

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
      {"dials", "Dials", dials_section(context)},
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
  page += in_both_themes(assets::colours_css);
  page += criterion_colours(assets::colours_css, input.ratings->criteria().size());
  page += assets::report_css;
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
