#include "evaluation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.hpp"

namespace palate {
namespace {

constexpr std::size_t largest_exact = 25;

// Linear interpolation between order statistics.
double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double rest = position - static_cast<double>(below);
  return sorted[below] + rest * (sorted[above] - sorted[below]);
}

// P(sum of positive ranks <= statistic) if every sign is a fair coin, ranks 1..n.
double exact_lower_tail(std::size_t n, std::size_t statistic) {
  const std::size_t most = n * (n + 1) / 2;
  std::vector<double> ways(most + 1, 0.0);  // subsets of the ranks by their sum; below 2^25
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = most; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  }
  double tail = 0;
  for (std::size_t sum = 0; sum <= statistic; ++sum) tail += ways[sum];
  return std::ldexp(tail, -static_cast<int>(n));
}

}  // namespace

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

std::pair<double, double> bootstrap_interval(std::span<const double> values, std::size_t resamples,
                                             double confidence, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> means(resamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) sum += values[random.below(values.size())];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  const double tail = (1 - confidence) / 2;
  return {quantile(means, tail), quantile(means, 1 - tail)};
}

double wilcoxon_p_value(std::span<const double> differences) {
  std::vector<double> rounded;
  rounded.reserve(differences.size());
  for (const double d : differences) {
    const double steps = std::nearbyint(d * 1e6);
    if (steps != 0) rounded.push_back(steps);
  }
  if (rounded.empty()) return 1;
  std::sort(rounded.begin(), rounded.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });

  const std::size_t n = rounded.size();
  double positive = 0;  // sum of the ranks of positive differences
  double tie_term = 0;  // sum of t^3 - t over groups of t tied differences
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && std::abs(rounded[end]) == std::abs(rounded[begin])) ++end;
    const auto tied = static_cast<double>(end - begin);
    const double rank = (static_cast<double>(begin + 1) + static_cast<double>(end)) / 2;
    for (std::size_t k = begin; k < end; ++k) positive += rounded[k] > 0 ? rank : 0;
    tie_term += tied * tied * tied - tied;
    begin = end;
  }

  const auto count = static_cast<double>(n);
  const double all = count * (count + 1) / 2;
  if (n <= largest_exact && tie_term == 0) {
    const double smaller = std::min(positive, all - positive);
    return std::min(1.0, 2 * exact_lower_tail(n, static_cast<std::size_t>(smaller)));
  }
  const double variance = count * (count + 1) * (2 * count + 1) / 24 - tie_term / 48;
  const double distance = std::max(0.0, std::abs(positive - all / 2) - 0.5);
  // 2 (1 - Phi(z)) = erfc(z / sqrt 2)
  return std::erfc(distance / std::sqrt(variance) / std::numbers::sqrt2);
}

}  // namespace palate
