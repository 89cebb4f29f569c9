// Bars from one axis, each with the interval that its value may lie in.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace palate::cli {

struct BarRow {
  std::string name;
  double value = 0, low = 0, high = 0;  ///< low == high: the interval is not known
  std::string text;                     ///< the value as it is shown
};

/// The first row stands out with `first_stands_out`. `label` says what the drawing shows.
[[nodiscard]] std::string bars(std::string_view label, std::span<const BarRow> rows,
                               bool first_stands_out);

}  // namespace palate::cli
