// Lines or points over two axes, and grids of coloured squares; drawings that also stand alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palate::cli {

struct Axis {
  std::string title;
  bool logarithmic = false;
  /// If there are any, x = 0, 1, ... are these.
  std::vector<std::string> categories = {};
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// `label` says what the drawing shows. Points over categories are not joined.
[[nodiscard]] std::string line_chart(std::string_view label, const Axis& x, const Axis& y,
                                     std::span<const Series> series);

/// values[r][c]: the stronger the colour the larger; those below 0 in another one.
[[nodiscard]] std::string heat_grid(std::string_view label, std::span<const std::string> rows,
                                    std::span<const std::string> columns,
                                    std::span<const std::vector<double>> values);

/// The rules for the classes of both, on a light ground.
[[nodiscard]] std::string chart_css();

/// A drawing as a file of its own.
[[nodiscard]] std::string standalone_svg(std::string_view svg);

}  // namespace palate::cli
