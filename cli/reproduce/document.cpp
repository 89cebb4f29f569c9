#include "reproduce/document.hpp"

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/html.hpp"

namespace palate::cli::reproduce {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string to_markdown(const Sheet& sheet) {
  std::string out = fmt::format("### {}\n\n", sheet.title) + markdown_row(sheet.head) + "|";
  for (std::size_t c = 0; c < sheet.head.size(); ++c) out += c == 0 ? "---|" : "---:|";
  out += "\n";
  for (const auto& row : sheet.rows) out += markdown_row(row);
  if (!sheet.note.empty()) out += "\n" + sheet.note + "\n";
  return out + "\n";
}

std::string to_html(const Sheet& sheet) {
  std::string out = fmt::format("<h3>{}</h3>\n<table><thead><tr>", html::text(sheet.title));
  for (const std::string& cell : sheet.head) out += "<th>" + html::text(cell) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : sheet.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + html::text(cell) + "</td>";
    out += "</tr>\n";
  }
  out += "</tbody></table>\n";
  if (!sheet.note.empty()) out += "<p>" + html::text(sheet.note) + "</p>\n";
  return out;
}

constexpr std::string_view title = "Published results, computed anew";

}  // namespace

std::string to_markdown(const std::vector<Section>& sections) {
  std::string out = fmt::format("# {}\n\n", title);
  for (const Section& section : sections) {
    out += fmt::format("## {}\n\n", section.title);
    if (!section.text.empty()) out += section.text + "\n\n";
    for (const Sheet& sheet : section.sheets) out += to_markdown(sheet);
    for (const Figure& figure : section.figures) {
      out += fmt::format("![{0}](figures/{1}.svg)\n\n{0}\n\n", figure.caption, figure.name);
    }
  }
  return out;
}

std::string to_html(const std::vector<Section>& sections) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>\nbody{{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}}\n"
      "table{{border-collapse:collapse;font-size:14px;display:block;overflow-x:auto}}\n"
      "th,td{{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}}\n"
      "th:first-child,td:first-child{{text-align:left}}\nfigure{{max-width:46rem;margin:1rem 0}}\n"
      "{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      title, chart_css());
  for (const Section& section : sections) {
    out += fmt::format("<section><h2>{}</h2>\n", html::text(section.title));
    if (!section.text.empty()) out += "<p>" + html::text(section.text) + "</p>\n";
    for (const Sheet& sheet : section.sheets) out += to_html(sheet);
    for (const Figure& figure : section.figures) {
      out += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", figure.svg,
                         html::text(figure.caption));
    }
    out += "</section>\n";
  }
  return out + "</body>\n</html>\n";
}

}  // namespace palate::cli::reproduce
