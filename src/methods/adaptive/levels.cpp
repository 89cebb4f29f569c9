#include "methods/adaptive/levels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

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

RatersByItem index_by_item(const Levels& levels) {
  RatersByItem out;
  out.offsets.assign(levels.items + 1, 0);
  for (const std::uint32_t item : levels.columns) ++out.offsets[item + 1];
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  out.raters.resize(levels.columns.size());
  std::vector<std::uint64_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (std::size_t person = 0; person < levels.people(); ++person) {
    const std::uint64_t begin = levels.offsets[person];
    const std::uint64_t end = levels.offsets[person + 1];
    for (std::uint64_t at = begin; at < end; ++at) {
      out.raters[next[levels.columns[at]]++] = {at, begin, end};
    }
  }
  return out;
}

std::vector<float> entries(const Levels& levels, double user_power, double level_power) {
  std::vector<float> out(levels.values.size(), 1.0F);
  for (std::size_t person = 0; person < levels.people(); ++person) {
    const double factor =
        std::pow(std::max<double>(1, static_cast<double>(levels.count(person))), -user_power);
    for (std::uint64_t at = levels.offsets[person]; at < levels.offsets[person + 1]; ++at) {
      const auto value = static_cast<double>(levels.values[at]);
      const double powered = level_power == 0 ? 1.0 : std::pow(value, level_power);
      out[at] = static_cast<float>(factor * powered);
    }
  }
  return out;
}

double share_of_links(const Levels& levels) {
  constexpr std::size_t sample = 200;
  const RatersByItem index = index_by_item(levels);
  std::vector<std::uint32_t> seen(levels.items, 0);
  double links = 0;
  std::uint32_t rows = 0;
  for (std::size_t i = 0; i < levels.items; i += 1 + levels.items / sample) {
    ++rows;
    for (const auto& rater : index.of(i)) {
      for (std::uint64_t at = rater.begin; at < rater.end; ++at) {
        links += seen[levels.columns[at]] != rows ? 1 : 0;
        seen[levels.columns[at]] = rows;
      }
    }
  }
  return links / std::max(1.0, static_cast<double>(rows) * static_cast<double>(levels.items));
}

}  // namespace palate
