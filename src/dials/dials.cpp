#include "dials/dials.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/lists/boosts.hpp"

namespace palate {

std::vector<TurnedDial> turn(std::span<const DialStrength> strengths,
                             std::span<const double> weights) {
  std::vector<TurnedDial> out;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (weights[c] == 1) continue;
    const double doublings = std::clamp(weights[c] > 0 ? std::log2(weights[c]) : -most_doublings,
                                        -most_doublings, most_doublings);
    const float strength = doublings > 0 ? strengths[c].up : strengths[c].down;
    out.push_back({c, weights[c], strength * static_cast<float>(doublings)});
  }
  return out;
}

std::vector<float> boosts(const Contrasts& contrasts, std::span<const TurnedDial> turned) {
  std::vector<const float*> z;
  std::vector<float> steps;
  for (const TurnedDial& dial : turned) {
    z.push_back(contrasts.of(dial.criterion).data());
    steps.push_back(dial.step);
  }
  std::vector<float> out(contrasts.items());
  kernels::exp_of_sums(z, steps, out);
  return out;
}

std::vector<double> dial_parts(const Contrasts& contrasts, std::span<const TurnedDial> turned,
                               std::uint32_t item, double score, float boost) {
  const auto by = static_cast<double>(boost);
  const double added = (score < 0 ? score / by : score * by) - score;
  std::vector<double> out;
  double all = 0;
  for (const TurnedDial& dial : turned) {
    out.push_back(static_cast<double>(dial.step) *
                  static_cast<double>(contrasts.of(dial.criterion)[item]));
    all += out.back();
  }
  // Dials that cancel each other out move nothing together: then none has a part.
  for (double& part : out) part = all != 0 ? added * (part / all) : 0;
  return out;
}

}  // namespace palate
