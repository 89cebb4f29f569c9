#include "dials/contrasts.hpp"

#include <algorithm>
#include <cmath>

namespace palate {
namespace {

double span_of(const Criterion& scale) {
  const auto span = static_cast<double>(scale.max) - static_cast<double>(scale.min);
  return span > 0 ? span : 1;
}

// In standard deviations over the items that count, within +-most; 0 where there is no spread.
void standardise(std::span<const double> contrast, std::span<const std::uint8_t> counts,
                 std::span<float> z) {
  double sum = 0;
  double squares = 0;
  double n = 0;
  for (std::size_t i = 0; i < contrast.size(); ++i) {
    if (counts[i] == 0) continue;
    sum += contrast[i];
    squares += contrast[i] * contrast[i];
    ++n;
  }
  const double mean = n > 0 ? sum / n : 0;
  const double deviation = n > 0 ? std::sqrt(std::max(0.0, squares / n - mean * mean)) : 0;
  constexpr double nothing = 1e-9;  // of the scale: what is left of equal ratings by rounding
  if (deviation < nothing) return;
  for (std::size_t i = 0; i < contrast.size(); ++i) {
    if (counts[i] == 0) continue;
    z[i] = std::clamp(static_cast<float>((contrast[i] - mean) / deviation), -Contrasts::most,
                      Contrasts::most);
  }
}

}  // namespace

double rescaled(double rating, const Criterion& from, const Criterion& to) {
  return static_cast<double>(to.min) +
         (rating - static_cast<double>(from.min)) * span_of(to) / span_of(from);
}

Contrasts::Contrasts(std::size_t items, std::span<const Criterion> criteria, const TotalOf& total,
                     std::span<const std::uint8_t> known)
    : items_(items), z_(items * criteria.size()) {
  std::vector<double> overall(items);
  std::vector<double> contrast(items);
  std::vector<std::uint8_t> counts(items);
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    ItemTotal all;
    for (std::uint32_t i = 0; i < items; ++i) {
      const ItemTotal one = total(i, c);
      all.sum += one.sum;
      all.count += one.count;
    }
    const double mean = all.mean();
    usual_.push_back(c == 0 ? mean : mean - rescaled(usual_[0], criteria[0], criteria[c]));
    for (std::uint32_t i = 0; i < items; ++i) {
      const ItemTotal one = total(i, c);
      const auto n = static_cast<double>(one.count);
      const double drawn = (one.sum - n * mean) / (n + prior) / span_of(criteria[c]);
      if (c == 0) overall[i] = drawn;
      contrast[i] = c == 0 ? drawn : drawn - overall[i];
      // What nobody rated on the criterion is neither moved nor counted.
      counts[i] = one.count > 0 && (known.empty() || known[i] != 0) ? 1 : 0;
    }
    standardise(contrast, counts, std::span(z_).subspan(c * items, items));
  }
}

}  // namespace palate
