#include "tuning/choose_settings.hpp"

namespace palate {

Choice choose_settings(std::string_view method, const Ratings& train, const ChooseOptions& options,
                       const RunOptions& run) {
  return method == "adaptive" ? tune(train, options, run) : choose_filters(train, options, run);
}

double liked_from(const Ratings& train, const ChooseOptions& options) {
  if (options.threshold) return *options.threshold;
  const Criterion& overall = train.criteria()[0];
  return (static_cast<double>(overall.min) + static_cast<double>(overall.max)) / 2;
}

}  // namespace palate
