// Made-up interactions for benchmarks: skewed like real ones, quick to make, nothing kept in
// memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace bench {

struct MadeUp {
  std::size_t users = 1'000'000;
  std::size_t items = 200'000;
  std::size_t interactions = 20'000'000;  ///< at least one per user
  double skew = 0.8;      ///< the item at rank k is chosen in proportion to 1 / k^skew; not 1
  double activity = 1.0;  ///< standard deviation of the logarithm of interactions per user
  std::uint64_t seed = 1;
};

/// Overall and four criteria, 1 to 5 in halves.
using Values = std::array<float, 5>;

inline Values made_up_values(float quality, std::uint64_t bits) {
  // The number of set bits among 32 is nearly normal, with standard deviation 2.83.
  const auto noise = static_cast<float>(std::popcount(static_cast<std::uint32_t>(bits)) - 16);
  const float overall = std::round(2 * (3.8F + quality + 0.2F * noise)) / 2;
  Values values{};
  for (std::size_t c = 0; c < values.size(); ++c) {
    const auto step = static_cast<float>(bits >> (32 + 2 * c) & 3U) / 2 - 0.5F;
    values[c] = std::clamp(c == 0 ? overall : overall + std::min(step, 0.5F), 1.0F, 5.0F);
  }
  return values;
}

/// Calls row(user, item, values) for each interaction, by user; no pair comes twice.
template <class Row>
void make_up(const MadeUp& shape, Row row) {
  palate::Random random(shape.seed);
  std::vector<float> activity(shape.users), quality(shape.items);
  double total = 0;
  for (float& a : activity) {
    a = static_cast<float>(std::exp(shape.activity * random.normal()));
    total += static_cast<double>(a);
  }
  for (float& q : quality) q = static_cast<float>(0.4 * random.normal());

  const double slope = 1 - shape.skew;
  const double reach = std::pow(static_cast<double>(shape.items + 1), slope) - 1;
  const auto spare = static_cast<double>(shape.interactions) - static_cast<double>(shape.users);
  const std::size_t most = std::max<std::size_t>(1, shape.items / 4);
  std::vector<std::uint32_t> last_user(shape.items, 0);  // counted from 1
  double before = 0;
  for (std::uint32_t user = 0; user < shape.users; ++user) {
    const double after =
        before + std::max(0.0, spare) * static_cast<double>(activity[user]) / total;
    const auto more = static_cast<std::size_t>(std::floor(after + 0.5) - std::floor(before + 0.5));
    before = after;
    for (std::size_t left = std::min(1 + more, most); left > 0;) {
      const double rank = std::pow(1 + reach * random.uniform(), 1 / slope) - 1;
      // A prime above every number of items spreads the popular ones over the catalogue.
      const std::size_t item = static_cast<std::size_t>(rank) * 2654435761ULL % shape.items;
      if (last_user[item] == user + 1) continue;
      last_user[item] = user + 1;
      row(user, static_cast<std::uint32_t>(item), made_up_values(quality[item], random.bits()));
      --left;
    }
  }
}

}  // namespace bench
