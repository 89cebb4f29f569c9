#include "prediction/prediction.hpp"

#include <algorithm>
#include <limits>

namespace palate {

double Predictor::item_offset(std::uint32_t item, std::size_t criterion) const {
  const ItemTotal total = total_(item, criterion);
  const PredictionRule& rule = rules_[criterion];
  const auto n = static_cast<double>(total.count);
  return total.count > 0 ? (total.sum - n * rule.mean) / (n + rule.item_prior) : 0;
}

std::vector<double> Predictor::offsets(const UserRatings& person) const {
  std::vector<double> out(rules_.size());
  for (std::size_t c = 0; c < rules_.size(); ++c) {
    if (!rules_[c].holds()) continue;
    double sum = 0;
    double n = 0;
    for (std::size_t k = 0; k < person.size(); ++k) {
      if ((person.present[k] >> c & 1U) == 0) continue;
      sum += static_cast<double>(person.values[k * rules_.size() + c]) - rules_[c].mean -
             item_offset(person.items[k], c);
      ++n;
    }
    if (n > 0) out[c] = sum / (n + rules_[c].user_prior);
  }
  return out;
}

std::vector<double> Predictor::predict(std::span<const double> offsets, std::uint32_t item) const {
  if (none_) return {};
  std::vector<double> out(rules_.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t c = 0; c < rules_.size(); ++c) {
    if (!rules_[c].holds()) continue;
    out[c] =
        std::clamp(rules_[c].mean + rules_[c].shift + item_offset(item, c) + offsets[c],
                   static_cast<double>(criteria_[c].min), static_cast<double>(criteria_[c].max));
  }
  return out;
}

}  // namespace palate
