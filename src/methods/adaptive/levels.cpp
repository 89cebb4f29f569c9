#include "methods/adaptive/levels.hpp"

#include <bit>

#include "core/criterion_set.hpp"

namespace palate {

std::vector<std::uint32_t> Levels::raters() const {
  std::vector<std::uint32_t> out(items, 0);
  for (const std::uint32_t item : columns) ++out[item];
  return out;
}

float level(const UserRatings& row, std::size_t k, std::span<const Criterion> criteria) noexcept {
  const auto of = [&](std::size_t c) {
    const float max = criteria[c].max;
    return max > 0 ? row.values[k * criteria.size() + c] / max : 1.0F;
  };
  if ((row.present[k] & 1U) != 0) return of(0);
  float sum = 0;
  for (CriterionSet rest = row.present[k]; rest != 0; rest &= rest - 1) {
    sum += of(static_cast<std::size_t>(std::countr_zero(rest)));
  }
  return sum / static_cast<float>(std::popcount(row.present[k]));
}

Levels levels_of(const Ratings& ratings) {
  Levels out;
  out.items = ratings.items();
  out.offsets.reserve(ratings.users() + 1);
  out.columns.reserve(ratings.interactions());
  out.values.reserve(ratings.interactions());
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings row = ratings.of(user);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out.columns.push_back(row.items[k]);
      out.values.push_back(level(row, k, ratings.criteria()));
    }
    out.offsets.push_back(out.columns.size());
  }
  return out;
}

}  // namespace palate
