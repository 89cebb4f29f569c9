#include "bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "html.hpp"
#include "svg.hpp"

namespace palate::cli {

std::string bars(std::string_view label, std::span<const BarRow> rows, bool first_stands_out) {
  constexpr double width = 360, left = 4, right = 352, row_height = 44, roof = 4;
  const double floor = roof + row_height * static_cast<double>(rows.size());
  double least = 0;
  double most = 0;
  std::string spoken(label);
  for (const BarRow& row : rows) {
    least = std::min({least, row.value, row.low});
    most = std::max({most, row.value, row.high});
    spoken += fmt::format("{} {}; ", row.name, row.text);
  }
  if (least == most) most = 1;
  const Scale x{least, most, left, right};
  Svg svg(width, floor + 24, spoken);
  for (const double tick : round_ticks(least, most, 4)) {
    svg.line(x(tick), roof, x(tick), floor, "rule");
    svg.text(x(tick), floor + 16, html::plain(tick),
             x(tick) - left < 8    ? Anchor::start
             : right - x(tick) < 8 ? Anchor::end
                                   : Anchor::middle);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const BarRow& row = rows[k];
    const double top = roof + row_height * static_cast<double>(k);
    const double middle = top + 28;
    const bool strong = first_stands_out && k == 0;
    svg.text(left, top + 14, row.name, Anchor::start, strong ? "strong" : "");
    svg.rect(std::min(x(0), x(row.value)), middle - 8, std::abs(x(row.value) - x(0)), 16,
             strong ? "accent fill" : "other fill");
    svg.line(x(0), middle - 11, x(0), middle + 11, "axis");
    if (row.low < row.high) {
      svg.line(x(row.low) - 2, middle, x(row.high) + 2, middle, "halo");
      svg.line(x(row.low), middle, x(row.high), middle, "whisker");
      svg.line(x(row.low), middle - 5, x(row.low), middle + 5, "whisker");
      svg.line(x(row.high), middle - 5, x(row.high), middle + 5, "whisker");
    }
    svg.text(right, top + 14, row.text, Anchor::end, "strong");
  }
  return svg.str();
}

}  // namespace palate::cli
