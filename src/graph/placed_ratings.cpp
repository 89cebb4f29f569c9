#include "graph/placed_ratings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/ratings_data.hpp"
#include "kernels/graph/packed_row.hpp"

namespace palate {
namespace {

using kernels::block_width;

constexpr std::size_t users_per_chunk = 256;

// Of each criterion the largest of 1, 1/2, 1/4 and 1/8 of which its ratings are multiples, by at
// most 255; empty if some criterion has none.
std::vector<float> common_units(const Ratings& ratings, const std::vector<std::size_t>& criteria,
                                ThreadPool& pool) {
  constexpr std::size_t chunk = 65536;
  constexpr float finest = 8;
  const Ratings::Data& data = ratings.data();
  const std::size_t all = ratings.criteria().size();
  struct Seen {
    std::uint32_t bits = 0;  // of all multiples of the finest unit
    float most = 0;
    bool whole = true;
  };
  const std::size_t chunks = (ratings.interactions() + chunk - 1) / chunk;
  std::vector<Seen> seen(chunks * criteria.size());
  pool.for_chunks(ratings.interactions(), chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      Seen mine;
      for (std::size_t k = begin; k < end; ++k) {
        const float value = finest * data.values[k * all + criteria[c]];
        mine.most = std::max(mine.most, value);
        const auto multiple = static_cast<std::int32_t>(std::min(value, 255 * finest));
        mine.whole &= static_cast<float>(multiple) == value;
        mine.bits |= static_cast<std::uint32_t>(multiple);
      }
      seen[begin / chunk * criteria.size() + c] = mine;
    }
  });
  std::vector<float> units;
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    Seen total;
    for (std::size_t k = c; k < seen.size(); k += criteria.size()) {
      total.bits |= seen[k].bits;
      total.most = std::max(total.most, seen[k].most);
      total.whole &= seen[k].whole;
    }
    float unit = 1;
    for (std::uint32_t low = 7; (total.bits & low) != 0; low >>= 1U) unit /= 2;
    if (!total.whole || total.most > 255 * unit * finest) return {};
    units.push_back(unit);
  }
  return units;
}

using Placed = std::vector<std::uint64_t>;  // place, and in the lower half the position

void place_user(const UserRatings& row, const std::vector<std::size_t>& criteria, std::size_t all,
                const std::vector<float>& units, const Placed& sorted, std::size_t user,
                const PlacedRatings& out) {
  const std::size_t from = std::size_t{out.lists[user].group} * block_width;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (out.coded) {
      out.short_places[from + k] = static_cast<std::uint16_t>(sorted[k] >> 32U);
    } else {
      out.places[from + k] = static_cast<std::uint32_t>(sorted[k] >> 32U);
    }
  }
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    double sum = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      sum += static_cast<double>(row.values[k * all + criteria[c]]);
    }
    const double share = sum > 0 ? 1.0 / sum : 0.0;
    const auto rating = [&](std::size_t k) {
      return row.values[static_cast<std::uint32_t>(sorted[k]) * all + criteria[c]];
    };
    const auto position = [&](std::size_t k) {
      const std::size_t at = from + k;
      return (at / block_width * out.width + c) * block_width + at % block_width;
    };
    if (out.coded) {
      const auto unit = static_cast<double>(units[c]);
      out.weights[user * out.width + c] = static_cast<float>(share * unit * unit);
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        out.codes[position(k)] = static_cast<std::uint8_t>(rating(k) / units[c]);
      }
    } else {
      const double factor = std::sqrt(share);
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        out.values[position(k)] = static_cast<float>(static_cast<double>(rating(k)) * factor);
      }
    }
  }
}

// Where everybody's list and the raters of each place begin. Workers take users in ranges of so
// many each; next[range][place] is where the raters of that range begin.
using Next = std::vector<std::vector<std::uint64_t>>;
Next count_ratings(const Ratings& ratings, std::span<const std::uint32_t> place_of,
                   std::size_t range, PlacedRatings& out, ThreadPool& pool) {
  const std::size_t users = ratings.users();
  const std::size_t items = ratings.items();
  const auto& offsets = ratings.data().offsets;
  Next next((users + range - 1) / range);
  pool.for_chunks(users, range, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<std::uint64_t>& mine = next[begin / range];
    mine.resize(items);
    for (std::size_t k = offsets[begin]; k < offsets[end]; ++k) {
      ++mine[place_of[ratings.data().items[k]]];
    }
  });
  out.rater_starts.resize(items + 1);
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < items; ++place) {
    out.rater_starts[place] = sum;
    for (auto& mine : next) sum += std::exchange(mine[place], sum);
  }
  out.rater_starts[items] = sum;
  std::uint32_t groups = 0;
  for (std::size_t u = 0; u < users; ++u) {
    const auto count = static_cast<std::uint32_t>(offsets[u + 1] - offsets[u]);
    out.lists.push_back({groups, count});
    groups += static_cast<std::uint32_t>((count + block_width - 1) / block_width);
  }
  out.lists.push_back({groups, 0});
  return next;
}

}  // namespace

void PlacedRatings::add_pairs(std::size_t place, float* sums) const {
  const auto some =
      raters.span().subspan(rater_starts[place], rater_starts[place + 1] - rater_starts[place]);
  if (coded) {
    kernels::add_coded_pairs(some, lists.data(), codes.data(), weights.data(), width,
                             short_places.data(), sums);
  } else {
    kernels::add_user_pairs(some, lists.data(), values.data(), width, places.data(), sums);
  }
}

PlacedRatings place_ratings(const Ratings& ratings, CriterionSet set,
                            std::span<const std::uint32_t> place_of, ThreadPool& pool) {
  const std::size_t users = ratings.users();
  std::vector<std::size_t> criteria;
  for (; set != 0; set &= set - 1) {
    criteria.push_back(static_cast<std::size_t>(std::countr_zero(set)));
  }
  PlacedRatings out;
  out.width = criteria.size();
  const std::size_t range = users / pool.size() + 1;
  Next next = count_ratings(ratings, place_of, range, out, pool);
  const std::size_t padded = std::size_t{out.lists.back().group} * block_width;
  const std::vector<float> units = common_units(ratings, criteria, pool);
  out.coded = !units.empty() && ratings.items() <= 65536;
  if (out.coded) {
    out.short_places = HugeBuffer<std::uint16_t>(padded);
    out.codes = HugeBuffer<std::uint8_t>(padded * out.width);
    out.weights = HugeBuffer<float>(users * out.width);
  } else {
    out.places = HugeBuffer<std::uint32_t>(padded);
    out.values = HugeBuffer<float>(padded * out.width);
  }
  pool.for_chunks(users, users_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    Placed sorted;
    for (std::size_t u = begin; u < end; ++u) {
      const UserRatings row = ratings.of(static_cast<std::uint32_t>(u));
      sorted.resize(row.size());
      for (std::uint32_t k = 0; k < row.size(); ++k) {
        sorted[k] = std::uint64_t{place_of[row.items[k]]} << 32U | k;
      }
      std::sort(sorted.begin(), sorted.end());
      place_user(row, criteria, ratings.criteria().size(), units, sorted, u, out);
    }
  });
  out.raters = HugeBuffer<kernels::Rater>(ratings.interactions(), Contents::any);
  pool.for_chunks(users, range, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<std::uint64_t>& mine = next[begin / range];
    for (std::size_t u = begin; u < end; ++u) {
      const auto from = static_cast<std::uint32_t>(out.lists[u].group * block_width);
      for (std::uint32_t at = from; at < from + out.lists[u].count; ++at) {
        out.raters[mine[out.place_at(at)]++] = {static_cast<std::uint32_t>(u), at};
      }
    }
  });
  return out;
}

}  // namespace palate
