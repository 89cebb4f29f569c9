// Names of items and criteria, whether they are those of fitted ratings or of a live state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "palate/ratings.hpp"

namespace palate {

[[nodiscard]] inline std::optional<std::size_t> find_criterion(std::span<const Criterion> criteria,
                                                               std::string_view name) noexcept {
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    if (criteria[c].name == name) return c;
  }
  return std::nullopt;
}

class Catalogue {
 public:
  Catalogue() = default;
  virtual ~Catalogue() = default;
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  /// Indices are below it.
  [[nodiscard]] virtual std::size_t items() const noexcept = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> find_item(
      std::string_view id) const noexcept = 0;
  [[nodiscard]] virtual std::string_view item_id(std::uint32_t item) const noexcept = 0;
  [[nodiscard]] virtual std::string_view item_title(std::uint32_t item) const noexcept = 0;
  [[nodiscard]] virtual std::span<const Criterion> criteria() const noexcept = 0;
  /// One flag per item, 0 for those that are gone; empty if none is.
  [[nodiscard]] virtual std::span<const std::uint8_t> known() const noexcept = 0;
};

class RatingsCatalogue final : public Catalogue {
 public:
  explicit RatingsCatalogue(const Ratings& ratings) : ratings_(ratings) {}

  [[nodiscard]] std::size_t items() const noexcept override { return ratings_.items(); }
  [[nodiscard]] std::optional<std::uint32_t> find_item(
      std::string_view id) const noexcept override {
    return ratings_.find_item(id);
  }
  [[nodiscard]] std::string_view item_id(std::uint32_t item) const noexcept override {
    return ratings_.item_id(item);
  }
  [[nodiscard]] std::string_view item_title(std::uint32_t item) const noexcept override {
    return ratings_.item_title(item);
  }
  [[nodiscard]] std::span<const Criterion> criteria() const noexcept override {
    return ratings_.criteria();
  }
  [[nodiscard]] std::span<const std::uint8_t> known() const noexcept override { return {}; }

 private:
  const Ratings& ratings_;
};

}  // namespace palate
