#include "prediction/prediction.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace palate {

Predictor::Predictor(std::span<const PredictionRule> rules, std::span<const Criterion> criteria,
                     TotalOf total, std::span<const float> levels)
    : rules_(rules),
      criteria_(criteria),
      total_(std::move(total)),
      levels_(levels),
      any_(std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.holds(); })) {
}

float Predictor::from_totals(std::uint32_t item, std::size_t criterion) const {
  const PredictionRule& rule = rules_[criterion];
  if (!rule.holds()) return std::numeric_limits<float>::quiet_NaN();
  const ItemTotal total = total_(item, criterion);
  const auto n = static_cast<double>(total.count);
  const double offset = total.count > 0 ? (total.sum - n * rule.mean) / (n + rule.item_prior) : 0;
  return static_cast<float>(rule.mean + offset);
}

std::vector<float> Predictor::levels(std::size_t items) const {
  std::vector<float> out;
  out.reserve(items * rules_.size());
  for (std::uint32_t item = 0; item < items; ++item) {
    for (std::size_t c = 0; c < rules_.size(); ++c) out.push_back(level(item, c));
  }
  return out;
}

std::vector<float> Predictor::offsets(const UserRatings& person) const {
  const std::size_t width = rules_.size();
  std::array<double, max_criteria> sum{};
  std::array<double, max_criteria> n{};
  for (std::size_t k = 0; k < person.size(); ++k) {
    for (std::size_t c = 0; c < width; ++c) {
      if ((person.present[k] >> c & 1U) == 0) continue;
      sum[c] += static_cast<double>(person.values[k * width + c] - level(person.items[k], c));
      ++n[c];
    }
  }
  std::vector<float> out(width);
  for (std::size_t c = 0; c < width; ++c) {
    out[c] = static_cast<float>(sum[c] / (n[c] + rules_[c].user_prior) + rules_[c].shift);
  }
  return out;
}

void Predictor::predict(std::span<const float> offsets, std::uint32_t item,
                        std::span<float> out) const {
  for (std::size_t c = 0; c < rules_.size(); ++c) {
    out[c] = std::clamp(level(item, c) + offsets[c], criteria_[c].min, criteria_[c].max);
  }
}

}  // namespace palate
