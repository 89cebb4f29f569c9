// Those who ask for lists at once on dense graphs, laid out for strips of the graph.
//
// People come in groups, and rows of the graph in tiles, so that a tile of a strip and the sums of
// a group stay in cache together. Within a group entries stand tile by tile, and in a tile person
// by person: what is used together is read in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/huge_buffer.hpp"
#include "kernels/lists/people.hpp"
#include "ranking/certified_list.hpp"
#include "ranking/dense_codes.hpp"

namespace palate {

/// What they rated themselves and still may be recommended is among their candidates from the
/// beginning, with nothing known of it.
struct PersonInBatch {
  const Query* query = nullptr;
  std::size_t top = 0;
  std::vector<Radius> radii;  ///< per second branch
  std::vector<Candidate> candidates;
  std::size_t begin = 0, end = 0;    ///< their entries
  std::array<CodedPerson, 2> coded;  ///< one per set of codes
  float z_length = 0;
};

class DensePeople {
 public:
  /// `sets`: one or two sets of codes that signals are wanted in; `floats`: branches whose x are
  /// wanted in tiles.
  DensePeople(const DenseGraphs& graphs, std::span<const DenseCodes> sets,
              std::span<const std::size_t> floats, std::span<const Query> queries,
              std::span<const Signal> signals, ThreadPool& pool);

  static constexpr std::size_t group_size = 2048;
  [[nodiscard]] std::size_t size() const noexcept { return people_.size(); }
  [[nodiscard]] std::size_t groups() const noexcept {
    return (size() + group_size - 1) / group_size;
  }
  [[nodiscard]] std::size_t tiles() const noexcept { return borders_.size() - 1; }
  [[nodiscard]] std::size_t first_row(std::size_t tile) const noexcept { return borders_[tile]; }
  /// Tiles are gone through in so many stages.
  [[nodiscard]] std::size_t stages() const noexcept { return std::min<std::size_t>(3, tiles()); }

  [[nodiscard]] PersonInBatch& operator[](std::size_t p) noexcept { return people_[p]; }
  [[nodiscard]] const PersonInBatch& operator[](std::size_t p) const noexcept { return people_[p]; }
  [[nodiscard]] const float* z(std::size_t p) const noexcept {
    return z_.data() + p * graphs_.directions;
  }
  /// Places of what someone rated, ascending, and x of a branch there, times the normalisation of
  /// the rated item.
  [[nodiscard]] std::span<const std::uint32_t> places(const PersonInBatch& person) const noexcept {
    return std::span(places_).subspan(person.begin, person.end - person.begin);
  }
  [[nodiscard]] const float* x(std::size_t branch, const PersonInBatch& person) const noexcept {
    return x_[branch].data() + person.begin;
  }
  /// Those of the 16 places from `from` on that person p has rated, as bits.
  [[nodiscard]] std::uint32_t own_lanes(std::size_t p, std::size_t from) const;

  /// For the n-th of some people of a group, sums[n * 32 + c] gets what their codes of a set give
  /// with the tiles of one stage of a wide strip, `strip` being that of its first pair and the
  /// others following it; `fresh`: instead of what is there.
  void add_codes(std::size_t set, std::size_t group, std::size_t stage, const std::uint32_t* strip,
                 std::span<const std::uint32_t> who, float* sums, bool fresh) const;
  /// Entries of a group in a tile, and x of the `floats` side by side that goes with them.
  [[nodiscard]] kernels::Entries entries(std::size_t group, std::size_t tile) const noexcept;
  [[nodiscard]] const float* floats() const noexcept { return floats_.data(); }

 private:
  void find_borders(std::span<const Signal> signals, std::size_t tiles, bool by_rows);
  void find_starts(std::span<const Signal> signals, ThreadPool& pool);
  void keep(std::size_t p, const PlacedSignal& placed);
  void spread(std::size_t p, std::span<const std::vector<std::uint32_t>> coded,
              std::span<const std::size_t> floats);
  std::uint32_t& start(std::size_t p, std::size_t tile) noexcept {
    return starts_[(p / group_size * tiles() + tile) * (group_size + 1) + p % group_size];
  }

  const DenseGraphs& graphs_;
  std::vector<PersonInBatch> people_;
  std::vector<std::uint32_t> places_;
  std::vector<std::vector<float>> x_;   // per branch
  HugeBuffer<float> z_;                 // per person and direction
  std::vector<std::uint32_t> borders_;  // of tiles
  std::vector<std::uint32_t> starts_;   // by group, tile and person
  HugeBuffer<std::uint16_t> rows_;
  std::vector<std::vector<HugeBuffer<std::uint32_t>>> codes_;  // by set and pair
  HugeBuffer<float> floats_;
};

}  // namespace palate
