#include "methods/ca_gf/criteria_preference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "palate/error.hpp"

namespace palate {

void CriteriaPreference::shares(const UserRatings& ratings, std::span<double> share) {
  std::fill(share.begin(), share.end(), 0.0);
  for (std::size_t k = 0; k < ratings.values.size(); k += share.size()) {
    for (std::size_t c = 0; c < share.size(); ++c) {
      share[c] += static_cast<double>(ratings.values[k + c]);
    }
  }
  double total = 0;
  for (const double s : share) total += s;
  if (total > 0) {
    for (double& s : share) s /= total;
  }
}

CriteriaPreference CriteriaPreference::fit(const Ratings& ratings, std::optional<double> power) {
  const std::size_t n = ratings.criteria().size();
  if (!power) return CriteriaPreference(n);
  std::vector<double> t(n * n, 0.0);
  std::array<double, max_criteria> buffer{};
  const std::span<double> share = std::span(buffer).first(n);
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    shares(ratings.of(user), share);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) t[a * n + b] += share[a] * share[b];
    }
  }
  return from_sums(n, std::move(t), *power);
}

CriteriaPreference CriteriaPreference::from_sums(std::size_t criteria, std::vector<double> t,
                                                 double power) {
  for (double& entry : t) {
    entry = entry > 0 ? std::pow(entry, power) : 0.0;
    if (!(entry < 1e30)) {
      throw Error(ErrorCode::usage,
                  "the power of the criteria preference is too large for this many users", {},
                  "choose a smaller one; 1 to 4 are usual");
    }
  }
  return {criteria, Array<double>(std::move(t))};
}

void CriteriaPreference::of(const UserRatings& ratings, std::span<double> weights) const {
  if (adjusted_.empty()) {
    std::fill(weights.begin(), weights.end(), 1.0);
    return;
  }
  std::array<double, max_criteria> buffer{};
  const std::span<double> share = std::span(buffer).first(criteria_);
  shares(ratings, share);
  for (std::size_t c = 0; c < criteria_; ++c) {
    double weight = 0;
    for (std::size_t a = 0; a < criteria_; ++a) weight += share[a] * adjusted_[a * criteria_ + c];
    weights[c] = weight;
  }
}

}  // namespace palate
