#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "html.hpp"
#include "svg.hpp"

namespace palate::cli {
namespace {

constexpr int shades = 10;
constexpr std::array<std::string_view, 4> colours = {"#0278c8", "#c2570c", "#3f7a48", "#7a2f8a"};

double placed(double value, const Axis& axis) {
  return axis.logarithmic ? std::log10(std::max(value, 1e-9)) : value;
}

// Powers of ten for a logarithm, round numbers else; as they are drawn.
std::vector<double> ticks(double low, double high, const Axis& axis) {
  if (!axis.logarithmic) return round_ticks(low, high, 6);
  std::vector<double> out;
  for (double k = std::ceil(low - 1e-9); k <= high + 1e-9; ++k) out.push_back(k);
  return out.size() > 1 ? out : std::vector{low, high};
}

std::string tick_text(double tick, const Axis& axis) {
  return axis.logarithmic ? html::number(std::pow(10, tick)) : html::plain(tick);
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen(double share) {
    if (!(low <= high)) *this = {0, 1};
    const double by = low == high ? 1 : (high - low) * share;
    low -= by;
    high += by;
  }
};

}  // namespace

std::string line_chart(std::string_view label, const Axis& x, const Axis& y,
                       std::span<const Series> series) {
  constexpr double width = 560, height = 320, left = 64, right = 544, roof = 28, floor = 262;
  Range across, up;
  for (const Series& one : series) {
    for (const auto& [a, b] : one.points) {
      across.take(placed(a, x));
      up.take(placed(b, y));
    }
  }
  across.widen(0.04);
  up.widen(0.06);
  const Scale at_x{across.low, across.high, left, right};
  const Scale at_y{up.low, up.high, floor, roof};
  Svg svg(width, height, label);
  for (const double tick : ticks(up.low, up.high, y)) {
    svg.line(left, at_y(tick), right, at_y(tick), "rule");
    svg.text(left - 6, at_y(tick) + 4, tick_text(tick, y), Anchor::end);
  }
  if (x.categories.empty()) {
    for (const double tick : ticks(across.low, across.high, x)) {
      svg.line(at_x(tick), floor, at_x(tick), floor + 4, "axis");
      svg.text(at_x(tick), floor + 18, tick_text(tick, x), Anchor::middle);
    }
  }
  for (std::size_t k = 0; k < x.categories.size(); ++k) {
    svg.text(at_x(static_cast<double>(k)), floor + 18, x.categories[k], Anchor::middle);
  }
  svg.line(left, floor, right, floor, "axis");
  svg.text((left + right) / 2, height - 14, x.title, Anchor::middle);
  svg.text(4, 14, y.title);
  for (std::size_t s = 0; s < series.size(); ++s) {
    const std::string colour = fmt::format("s{}", s % colours.size());
    std::vector<std::pair<double, double>> drawn;
    for (const auto& [a, b] : series[s].points) {
      drawn.emplace_back(at_x(placed(a, x)), at_y(placed(b, y)));
    }
    if (x.categories.empty()) svg.curve(drawn, colour);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      svg.rect(drawn[k].first - 3.5, drawn[k].second - 3.5, 7, 7, colour,
               fmt::format("{} {}", series[s].name, html::number(series[s].points[k].second)));
    }
    const double at = right - 90 * static_cast<double>(series.size() - s);
    svg.rect(at, 6, 9, 9, colour);
    svg.text(at + 14, 14, series[s].name);
  }
  return svg.str();
}

std::string heat_grid(std::string_view label, std::span<const std::string> rows,
                      std::span<const std::string> columns,
                      std::span<const std::vector<double>> values) {
  constexpr double left = 76, roof = 26, cell_width = 62, cell_height = 22;
  double strongest = 0;
  for (const auto& row : values) {
    for (const double value : row) strongest = std::max(strongest, std::abs(value));
  }
  Svg svg(left + cell_width * static_cast<double>(columns.size()) + 4,
          roof + cell_height * static_cast<double>(rows.size()) + 4, label);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    svg.text(left + cell_width * (static_cast<double>(c) + 0.5), roof - 8, columns[c],
             Anchor::middle);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double top = roof + cell_height * static_cast<double>(r);
    svg.text(left - 6, top + 15, rows[r], Anchor::end);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double value = values[r][c];
      const int shade =
          strongest > 0 ? static_cast<int>(std::lround(std::abs(value) / strongest * shades)) : 0;
      svg.rect(left + cell_width * static_cast<double>(c) + 1, top + 1, cell_width - 2,
               cell_height - 2, fmt::format("{}{}", value < 0 ? "n" : "h", shade),
               html::number(value));
    }
  }
  return svg.str();
}

std::string chart_css() {
  std::string out =
      "svg{font:12px sans-serif;background:#fff}svg text{fill:#222}"
      ".rule{stroke:#ddd}.axis{stroke:#555}";
  for (std::size_t s = 0; s < colours.size(); ++s) {
    out += fmt::format("path.s{0}{{stroke:{1};stroke-width:1.8;fill:none}}rect.s{0}{{fill:{1}}}", s,
                       colours[s]);
  }
  for (int k = 0; k <= shades; ++k) {
    const double share = static_cast<double>(k) / shades;
    out += fmt::format("rect.h{}{{fill:#0278c8;fill-opacity:{:.1f};stroke:#eee}}", k, share);
    out += fmt::format("rect.n{}{{fill:#c2570c;fill-opacity:{:.1f};stroke:#eee}}", k, share);
  }
  return out + "\n";
}

std::string standalone_svg(std::string_view svg) {
  const std::size_t open = svg.find('>') + 1;  // '>' in the label is escaped
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  out += svg.substr(4, open - 4);
  return out + "<style>" + chart_css() + "</style>" + std::string(svg.substr(open));
}

}  // namespace palate::cli
