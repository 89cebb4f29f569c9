#include "svg.hpp"

#include <fmt/format.h>

#include <cmath>

#include "html.hpp"

namespace palate::cli {
namespace {

// A coordinate that is not a number would make the whole drawing invalid.
double safe(double value) { return std::isfinite(value) ? value : 0.0; }

std::string path_of(const std::vector<std::pair<double, double>>& points) {
  std::string out;
  for (const auto& [x, y] : points) {
    out += fmt::format("{}{:.1f} {:.1f}", out.empty() ? "M" : "L", safe(x), safe(y));
  }
  return out;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int wanted) {
  if (!std::isfinite(low) || !std::isfinite(high) || high <= low || wanted < 1) return {low};
  const double rough = (high - low) / wanted;
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * unit >= rough * 0.999) {
      step = factor * unit;
      break;
    }
  }
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  for (double k = first; k * step <= high + step * 1e-9 && out.size() < 50; ++k) {
    out.push_back(k * step);
  }
  return out;
}

Svg::Svg(double width, double height, std::string_view label)
    : body_(fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">", width,
                        height, html::text(label))) {
  body_ += fmt::format("<title>{}</title>", html::text(label));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  body_ +=
      fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                  css_class, safe(x1), safe(y1), safe(x2), safe(y2));
}

void Svg::rect(double x, double y, double width, double height, std::string_view css_class,
               std::string_view tip) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">", css_class,
      safe(x), safe(y), std::max(0.0, safe(width)), std::max(0.0, safe(height)));
  if (!tip.empty()) body_ += fmt::format("<title>{}</title>", html::text(tip));
  body_ += "</rect>";
}

void Svg::text(double x, double y, std::string_view content, Anchor anchor,
               std::string_view css_class) {
  const std::string_view anchored = anchor == Anchor::start    ? "start"
                                    : anchor == Anchor::middle ? "middle"
                                                               : "end";
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>",
                       css_class, safe(x), safe(y), anchored, html::text(content));
}

void Svg::curve(const std::vector<std::pair<double, double>>& points, std::string_view css_class) {
  if (points.empty()) return;
  body_ += fmt::format("<path class=\"{}\" fill=\"none\" d=\"{}\"/>", css_class, path_of(points));
}

void Svg::area(const std::vector<std::pair<double, double>>& points, double floor,
               std::string_view css_class) {
  if (points.empty()) return;
  body_ += fmt::format("<path class=\"{}\" d=\"{}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\"/>", css_class,
                       path_of(points), safe(points.back().first), safe(floor),
                       safe(points.front().first), safe(floor));
}

}  // namespace palate::cli
