// Matches, predicted ratings and shares of scores as a person reads them, for the terminal and for
// pages.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>

#include "base/counted.hpp"
#include "palate/model.hpp"

namespace palate::cli {

/// "97.3", "100": rounded down, so that 100 stands above everything.
[[nodiscard]] inline std::string match_text(double match) {
  return match >= 100 ? "100" : fmt::format("{:.1f}", std::floor(10 * match) / 10);
}

/// With as many decimals as the scale is fine; "" if it is not known.
[[nodiscard]] inline std::string rating_text(float rating, const Criterion& scale) {
  constexpr float fine = 2;
  constexpr float coarse = 50;
  if (std::isnan(rating)) return {};
  const float span = scale.max - scale.min;
  return fmt::format("{:.{}f}", rating, span < fine ? 2 : span < coarse ? 1 : 0);
}

/// What part of a score this is: "37 %", "1.2 %", "-4.0 %".
[[nodiscard]] inline std::string share_text(double value, double score) {
  if (value == 0 || score == 0) return "0 %";
  const double share = 100 * value / std::abs(score);
  const double size = std::abs(share);
  if (size < 0.01) return share < 0 ? "> -0.01 %" : "< 0.01 %";
  return fmt::format("{:.{}f} %", share, size >= 10 ? 0 : size >= 1 ? 1 : 2);
}

/// How far predicted overall ratings are off, in one sentence; "" if they are not predicted.
[[nodiscard]] inline std::string prediction_sentence(std::span<const PredictionError> errors) {
  if (errors.empty() || errors.front().criterion != 0) return {};
  const PredictionError& overall = errors.front();
  return fmt::format(
      "Predicted overall ratings are off by {:.2f} on average, where the best plain guess is off "
      "by "
      "{:.2f} (measured on {} held back).",
      overall.mae, overall.trivial_mae, counted(overall.ratings, "rating"));
}

}  // namespace palate::cli
