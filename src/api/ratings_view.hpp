// Ratings as the answers need them, whether they are those of a fitted model or of a live state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/item_total.hpp"
#include "palate/ratings.hpp"

namespace palate {

[[nodiscard]] inline std::optional<std::size_t> find_criterion(std::span<const Criterion> criteria,
                                                               std::string_view name) noexcept {
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    if (criteria[c].name == name) return c;
  }
  return std::nullopt;
}

class RatingsView {
 public:
  struct Counts {
    std::size_t users = 0, items = 0, interactions = 0;
  };

  RatingsView() = default;
  virtual ~RatingsView() = default;
  RatingsView(const RatingsView&) = delete;
  RatingsView& operator=(const RatingsView&) = delete;

  /// Of those that are known.
  [[nodiscard]] virtual Counts counts() const noexcept = 0;
  [[nodiscard]] virtual std::span<const Criterion> criteria() const noexcept = 0;
  /// Memory of the ratings, as far as the recommender does not count it as its own.
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;

  [[nodiscard]] virtual std::optional<std::uint32_t> find_user(
      std::string_view id) const noexcept = 0;
  [[nodiscard]] virtual UserRatings of(std::uint32_t user) const noexcept = 0;

  [[nodiscard]] virtual std::optional<std::uint32_t> find_item(
      std::string_view id) const noexcept = 0;
  [[nodiscard]] virtual std::string_view item_id(std::uint32_t item) const noexcept = 0;
  [[nodiscard]] virtual std::string_view item_title(std::uint32_t item) const noexcept = 0;
  [[nodiscard]] virtual ItemTotal total(std::uint32_t item, std::size_t criterion) const = 0;
  /// Indices of items, known or not, are below it.
  [[nodiscard]] virtual std::size_t item_indices() const noexcept = 0;
  /// One flag per index, 0 for items that are gone; empty if none is.
  [[nodiscard]] virtual std::span<const std::uint8_t> known_items() const noexcept = 0;
};

}  // namespace palate
