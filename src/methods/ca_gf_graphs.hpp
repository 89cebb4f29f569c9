// What a fitted CA-GF holds, and the signal of one person.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/item_graph.hpp"
#include "core/subspace.hpp"
#include "methods/ca_gf_plan.hpp"
#include "methods/criteria_preference.hpp"
#include "palate/ratings.hpp"

namespace palate {

struct CaGfGraphs {
  CaGfPlan plan;
  std::vector<GraphPattern> patterns;  ///< one per graph of the plan
  std::vector<Array<float>> values;    ///< one per (graph, power) of the plan
  CriteriaPreference preference{0};
  std::vector<Subspace>
      subspaces;               ///< one per (graph, power); empty where no filter is of second order
  std::vector<float> longest;  ///< of each of these: the largest |p_i|

  [[nodiscard]] std::size_t items() const noexcept { return patterns[0].items(); }
  /// Row j of P_f of a branch.
  [[nodiscard]] std::span<const std::uint32_t> columns(const Branch& b,
                                                       std::size_t j) const noexcept {
    return patterns[b.graph].row(j);
  }
  [[nodiscard]] const float* row(const Branch& b, std::size_t j) const noexcept {
    return values[b.values].data() + patterns[b.graph].offsets[j];
  }
};

/// Someone's ratings with a factor per criterion: x_f = sum over the criteria c of a branch of
/// factor[c] r_{u,c}.
struct Signal {
  UserRatings ratings;
  std::array<float, max_criteria> factor{};

  /// x_f at the k-th rated item.
  [[nodiscard]] float at(std::size_t k, CriterionSet criteria, std::size_t width) const noexcept {
    const float* values = ratings.values.data() + k * width;
    float x = 0;
    for (; criteria != 0; criteria &= criteria - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(criteria));
      x += factor[c] * values[c];
    }
    return x;
  }
};

}  // namespace palate
