#include "tuning/choose_settings.hpp"

#include <array>
#include <cstdio>

#include "palate/evaluation.hpp"

namespace palate {
Choice choose_settings(std::string_view method, const Ratings& train, const ChooseOptions& options,
                       const RunOptions& run) {
  Choice out =
      method == "adaptive" ? tune(train, options, run) : choose_filters(train, options, run);
  out.validation = options.validation;
  out.seed = options.seed;
  out.relevance = relevance_text(train, {.threshold = options.threshold});
  if (out.against.empty() && out.start > 0) {
    out.against.push_back({"plain linear filters", out.start, out.end - out.start});
  }
  return out;
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

}  // namespace palate
