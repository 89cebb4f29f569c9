#include "ranking/dense_people.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/dense/strip.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

// A tile of a strip, in bytes, that leaves room in the second-level cache of a core.
constexpr std::size_t tile_bytes = 1U << 20U;
// Entries of a person in a tile below which going there costs more than the cache saves.
constexpr std::size_t entries_per_tile = 15;
constexpr std::size_t people_per_chunk = 256;
constexpr std::size_t fewest_rows = 2048;
constexpr std::size_t most_rows = 60000;  // rows are kept in 16 bits
constexpr float unknown = std::numeric_limits<float>::infinity();

}  // namespace

DensePeople::DensePeople(const DenseGraphs& graphs, std::span<const DenseCodes> sets,
                         std::span<const std::size_t> floats, std::span<const Query> queries,
                         std::span<const Signal> signals, ThreadPool& pool)
    : graphs_(graphs),
      people_(queries.size()),
      x_(graphs.plan->branches.size()),
      z_(queries.size() * graphs.directions, Contents::any) {
  std::size_t entries = 0;
  for (std::size_t p = 0; p < people_.size(); ++p) {
    people_[p].query = &queries[p];
    people_[p].begin = entries;
    entries += signals[p].ratings.size();
    people_[p].end = entries;
    people_[p].top = std::min(queries[p].top, graphs.items());
  }
  const std::size_t by_entries =
      std::min(entries / std::max<std::size_t>(1, people_.size()) / entries_per_tile,
               graphs.items() / fewest_rows);
  const std::size_t row_bytes = kernels::wide_strip * sizeof(float) * floats.size();
  places_.resize(entries);
  find_borders(signals,
               std::max({std::size_t{1}, by_entries,
                         (graphs.items() * row_bytes + tile_bytes - 1) / tile_bytes}),
               !floats.empty());
  for (auto& x : x_) x.resize(entries);
  find_starts(signals, pool);
  rows_ = HugeBuffer<std::uint16_t>(entries, Contents::any);
  for (const DenseCodes& set : sets) {
    auto& mine = codes_.emplace_back();
    for (std::size_t n = 0; n < set.pairs(); ++n) {
      mine.push_back(HugeBuffer<std::uint32_t>(entries, Contents::any));
    }
  }
  floats_ = HugeBuffer<float>(entries * floats.size(), Contents::any);
  pool.for_chunks(size(), people_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    PlacedSignal placed;
    std::vector<std::vector<std::uint32_t>> coded;  // all pairs of all sets
    std::vector<std::uint32_t*> out;
    for (const DenseCodes& set : sets) coded.resize(coded.size() + set.pairs());
    for (std::size_t p = begin; p < end; ++p) {
      placed.set(graphs_, signals[p]);
      keep(p, placed);
      out.clear();
      for (auto& one : coded) {
        one.resize(placed.places.size());
        out.push_back(one.data());
      }
      for (std::size_t n = 0, pair = 0; n < sets.size(); pair += sets[n].pairs(), ++n) {
        people_[p].coded[n] = sets[n].encode(placed, std::span(out).subspan(pair, sets[n].pairs()));
      }
      spread(p, coded, floats);
    }
  });
}

// Tiles of as many rows each, for the cache; or of as many entries, so that what comes first can
// show that the rest is not needed.
void DensePeople::find_borders(std::span<const Signal> signals, std::size_t tiles, bool by_rows) {
  std::vector<std::uint64_t> weight(graphs_.items(), 1);
  if (!by_rows) {
    for (const Signal& one : signals) {
      for (const std::uint32_t item : one.ratings.items) ++weight[graphs_.order.place_of[item]];
    }
  }
  const std::uint64_t all = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
  constexpr std::size_t strip = kernels::wide_strip;  // no strip lies in two tiles
  std::uint64_t sum = 0;
  borders_ = {0};
  for (std::size_t row = 0; row < weight.size(); ++row) {
    const bool full = sum * tiles >= all * borders_.size() || row - borders_.back() >= most_rows;
    if (full && row % strip == 0) borders_.push_back(static_cast<std::uint32_t>(row));
    sum += weight[row];
  }
  borders_.push_back(static_cast<std::uint32_t>(weight.size()));
}

// Of each group and tile, where the entries of each person begin.
void DensePeople::find_starts(std::span<const Signal> signals, ThreadPool& pool) {
  starts_.resize(groups() * tiles() * (group_size + 1));
  std::vector<std::uint32_t> tile_of(graphs_.items());
  for (std::size_t tile = 0; tile < tiles(); ++tile) {
    std::fill(tile_of.begin() + borders_[tile], tile_of.begin() + borders_[tile + 1],
              static_cast<std::uint32_t>(tile));
  }
  pool.for_chunks(size(), people_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      for (const std::uint32_t item : signals[p].ratings.items) {
        ++start(p, tile_of[graphs_.order.place_of[item]]);
      }
    }
  });
  std::uint32_t sum = 0;
  for (std::size_t group = 0; group < groups(); ++group) {
    const std::size_t first = group * group_size;
    const std::size_t last = std::min(size(), first + group_size);
    for (std::size_t tile = 0; tile < tiles(); ++tile) {
      for (std::size_t p = first; p < last; ++p) sum += std::exchange(start(p, tile), sum);
      starts_[(group * tiles() + tile) * (group_size + 1) + last - first] = sum;
    }
  }
}

// All but their codes.
void DensePeople::keep(std::size_t p, const PlacedSignal& placed) {
  PersonInBatch& person = people_[p];
  std::copy(placed.places.begin(), placed.places.end(), places_.data() + person.begin);
  auto seen = placed.seen.begin();  // in the order of places
  for (const std::uint32_t place : placed.places) {
    const bool is_seen = seen != placed.seen.end() && *seen == place;
    if (is_seen) ++seen;
    if (is_seen && person.query->exclude_seen) continue;
    if (!allowed(*person.query, graphs_.order.item_at[place])) continue;
    person.candidates.push_back({place, 0.0F, 0.0F, unknown, 0.0});
  }
  for (std::size_t b = 0; b < x_.size(); ++b) {
    const std::vector<float>& scale = graphs_.scale[graphs_.branch(b).values];
    for (std::size_t k = 0; k < placed.places.size(); ++k) {
      x_[b][person.begin + k] = placed.x[b][k] * scale[placed.places[k]];
    }
  }
  std::copy(placed.z.begin(), placed.z.end(), z_.data() + p * graphs_.directions);
  person.z_length = static_cast<float>(std::sqrt(kernels::square_sum(placed.z)));
}

// From person by person to where entries are read.
void DensePeople::spread(std::size_t p, std::span<const std::vector<std::uint32_t>> coded,
                         std::span<const std::size_t> floats) {
  const PersonInBatch& person = people_[p];
  std::size_t k = person.begin;
  for (std::size_t tile = 0; tile < tiles(); ++tile) {
    const std::size_t end = borders_[tile + 1];
    for (std::size_t at = start(p, tile); k < person.end && places_[k] < end; ++k, ++at) {
      rows_[at] = static_cast<std::uint16_t>(places_[k] - borders_[tile]);
      auto from = coded.begin();
      for (const auto& set : codes_) {
        for (const auto& to : set) to[at] = (*from++)[k - person.begin];
      }
      for (std::size_t n = 0; n < floats.size(); ++n) {
        floats_[at * floats.size() + n] = x_[floats[n]][k];
      }
    }
  }
}

// In the entries of the tile: few, and just used.
std::uint32_t DensePeople::own_lanes(std::size_t p, std::size_t from) const {
  const auto after = std::upper_bound(borders_.begin(), borders_.end() - 1, from);
  const auto tile = static_cast<std::size_t>(after - borders_.begin()) - 1;
  const kernels::Entries mine = entries(p / group_size, tile);
  const std::uint16_t* const end = mine.rows + mine.starts[p % group_size + 1];
  const std::size_t first = from - borders_[tile];
  const std::uint16_t* at = std::lower_bound(mine.rows + mine.starts[p % group_size], end, first);
  std::uint32_t lanes = 0;
  for (; at != end && *at < first + kernels::block_width; ++at) lanes |= 1U << (*at - first);
  return lanes;
}

void DensePeople::add_codes(std::size_t set, std::size_t group, std::size_t stage,
                            const std::uint32_t* strip, std::span<const std::uint32_t> who,
                            float* sums, bool fresh) const {
  if (fresh && codes_[set].empty()) std::fill_n(sums, who.size() * kernels::wide_strip, 0.0F);
  const std::size_t end = (stage + 1) * tiles() / stages();
  for (std::size_t tile = stage * tiles() / stages(); tile < end; ++tile) {
    const std::uint32_t* rows = strip + borders_[tile] * kernels::wide_strip;
    for (const HugeBuffer<std::uint32_t>& codes : codes_[set]) {
      kernels::add_codes(rows, entries(group, tile), who, codes.data(), sums, fresh);
      fresh = false;
      rows += graphs_.stride() * kernels::wide_strip;
    }
  }
}

kernels::Entries DensePeople::entries(std::size_t group, std::size_t tile) const noexcept {
  const std::size_t people = std::min(group_size, size() - group * group_size);
  return {std::span(starts_).subspan((group * tiles() + tile) * (group_size + 1), people + 1),
          rows_.data()};
}

}  // namespace palate
