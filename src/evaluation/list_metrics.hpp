// What one list of recommendations is worth, and what all lists together say about the catalogue.
// Formulas are in docs/evaluation.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace palate {

/// The metrics of one list, in the order of display.
inline constexpr std::array<std::string_view, 7> list_metric_names = {
    "recall", "precision", "hit_rate", "ndcg", "ndcg_paper", "mrr", "map"};

/// The metrics of all lists together.
inline constexpr std::array<std::string_view, 3> catalogue_metric_names = {"coverage", "novelty",
                                                                           "gini"};

/// Discount of a hit at `rank` (from 1): 1 / log2(rank + 1).
[[nodiscard]] double discount(std::size_t rank) noexcept;
/// The paper's: 1 at ranks 1 and 2, then 1 / log2(rank).
[[nodiscard]] double discount_paper(std::size_t rank) noexcept;

/// Sums of discounts over ranks 1..n for n = 0..longest, so that an ideal list costs a look-up.
class Ideal {
 public:
  explicit Ideal(std::size_t longest);
  [[nodiscard]] double dcg(std::size_t n) const noexcept { return dcg_[n]; }
  [[nodiscard]] double dcg_paper(std::size_t n) const noexcept { return dcg_paper_[n]; }

 private:
  std::vector<double> dcg_;
  std::vector<double> dcg_paper_;
};

/// Measures a list of which `hits[r]` says whether the item at rank r + 1 is relevant; `relevant`
/// (> 0) is how many relevant items there are in all. `ideal` must reach to min(k, relevant).
[[nodiscard]] std::array<double, list_metric_names.size()> measure_list(
    std::span<const std::uint8_t> hits, std::size_t relevant, std::size_t k, const Ideal& ideal);

/// Gini coefficient of how often each item was recommended: 0 if all equally often, near 1 if one
/// item takes all. 0 if nothing was recommended.
[[nodiscard]] double gini(std::vector<std::uint64_t> counts);

}  // namespace palate
