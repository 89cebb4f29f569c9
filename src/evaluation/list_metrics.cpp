#include "evaluation/list_metrics.hpp"

#include <algorithm>
#include <cmath>

namespace palate {

double discount(std::size_t rank) noexcept {
  return 1.0 / std::log2(static_cast<double>(rank) + 1.0);
}

double discount_paper(std::size_t rank) noexcept {
  return rank <= 2 ? 1.0 : 1.0 / std::log2(static_cast<double>(rank));
}

Ideal::Ideal(std::size_t longest) : dcg_(longest + 1, 0.0), dcg_paper_(longest + 1, 0.0) {
  for (std::size_t n = 1; n <= longest; ++n) {
    dcg_[n] = dcg_[n - 1] + discount(n);
    dcg_paper_[n] = dcg_paper_[n - 1] + discount_paper(n);
  }
}

std::array<double, list_metric_names.size()> measure_list(std::span<const std::uint8_t> hits,
                                                          std::size_t relevant, std::size_t k,
                                                          const Ideal& ideal) {
  std::size_t found = 0;
  std::size_t first = 0;
  double dcg = 0;
  double dcg_paper = 0;
  double precisions = 0;
  for (std::size_t rank = 1; rank <= std::min(k, hits.size()); ++rank) {
    if (hits[rank - 1] == 0) continue;
    ++found;
    if (first == 0) first = rank;
    dcg += discount(rank);
    dcg_paper += discount_paper(rank);
    precisions += static_cast<double>(found) / static_cast<double>(rank);
  }
  const std::size_t reachable = std::min(k, relevant);
  return {static_cast<double>(found) / static_cast<double>(relevant),
          static_cast<double>(found) / static_cast<double>(k),
          found > 0 ? 1.0 : 0.0,
          dcg / ideal.dcg(reachable),
          dcg_paper / ideal.dcg_paper(reachable),
          first > 0 ? 1.0 / static_cast<double>(first) : 0.0,
          precisions / static_cast<double>(reachable)};
}

double gini(std::vector<std::uint64_t> counts) {
  std::sort(counts.begin(), counts.end());
  const auto n = static_cast<double>(counts.size());
  double total = 0;
  double weighted = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    // G = sum_k (2k - n - 1) x_k / (n sum_k x_k), x ascending, k from 1
    const auto x = static_cast<double>(counts[k]);
    total += x;
    weighted += (2.0 * static_cast<double>(k + 1) - n - 1.0) * x;
  }
  return total > 0 ? weighted / (n * total) : 0.0;
}

}  // namespace palate
