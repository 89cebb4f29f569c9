// How far an item stands out on a criterion, by the ratings of everybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/item_total.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// With m_c(i) the mean rating of item i on criterion c less that of all ratings on c, drawn
/// towards 0 as if `prior` more people had given the average: the contrast is m_c(i) - m_0(i), both
/// on the scale from 0 to 1; of overall itself it is m_0(i). Divided by its standard deviation over
/// the items, and kept within `most`.
class Contrasts {
 public:
  static constexpr double prior = 10;
  static constexpr float most = 4;

  /// `known`: one flag per item, 0 for those that are gone; empty if none is.
  Contrasts(std::size_t items, std::span<const Criterion> criteria, const TotalOf& total,
            std::span<const std::uint8_t> known);

  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  [[nodiscard]] std::size_t criteria() const noexcept { return usual_.size(); }
  /// z of all items.
  [[nodiscard]] std::span<const float> of(std::size_t criterion) const {
    return std::span(z_).subspan(criterion * items_, items_);
  }
  /// Mean of all ratings on a criterion, less that of overall ratings put on its scale; of overall
  /// the mean itself. What an item usually stands out by.
  [[nodiscard]] double usual(std::size_t criterion) const { return usual_[criterion]; }

 private:
  std::size_t items_;
  std::vector<float> z_;  // criterion * items + item
  std::vector<double> usual_;
};

/// A rating on one scale put on another.
[[nodiscard]] double rescaled(double rating, const Criterion& from, const Criterion& to);

}  // namespace palate
