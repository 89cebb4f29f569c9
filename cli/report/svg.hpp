// A small drawing: shapes in user units, coloured by CSS class, named for screen readers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palate::cli {

/// Maps data to drawing units. Either end may be the larger one.
struct Scale {
  double from = 0, to = 1;      ///< data
  double start = 0, end = 100;  ///< drawing

  [[nodiscard]] double operator()(double value) const {
    return to == from ? start : start + (value - from) / (to - from) * (end - start);
  }
};

/// Round numbers that cover [low, high], about `wanted` of them.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int wanted);

enum class Anchor { start, middle, end };

class Svg {
 public:
  /// `label` says in a sentence what the drawing shows. Text given to this class is plain, not
  /// escaped.
  Svg(double width, double height, std::string_view label);

  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  /// `tip` is shown when the pointer rests on the bar; may be empty.
  void rect(double x, double y, double width, double height, std::string_view css_class,
            std::string_view tip = {});
  void text(double x, double y, std::string_view content, Anchor anchor = Anchor::start,
            std::string_view css_class = {});
  /// A line through the points, or with `floor` the area between them and that height.
  void curve(const std::vector<std::pair<double, double>>& points, std::string_view css_class);
  void area(const std::vector<std::pair<double, double>>& points, double floor,
            std::string_view css_class);

  [[nodiscard]] std::string str() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace palate::cli
