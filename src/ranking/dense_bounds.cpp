#include "ranking/dense_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"

namespace palate {
namespace {

using kernels::wide_strip;

// What a worker needs for a sheet of 32 strips.
struct SheetScratch {
  SheetScratch(const DenseGraphs& graphs, const DenseCodes& codes)
      : strips(codes.pairs() * graphs.stride() * wide_strip, Contents::any),
        sums(DensePeople::group_size * wide_strip, Contents::any),
        second{HugeBuffer<float>(DensePeople::group_size * Extremes::strips, Contents::any),
               HugeBuffer<float>(DensePeople::group_size * Extremes::strips, Contents::any)},
        factors(2 * graphs.second.size()) {
    for (auto& some : factors) some.resize(DensePeople::group_size);
  }
  HugeBuffer<std::uint32_t> strips;
  HugeBuffer<float> sums;
  std::array<HugeBuffer<float>, 2> second;  // of each half of the strips
  std::array<float, wide_strip> units;
  std::vector<std::vector<float>> factors;
};

class Sheets {
 public:
  Sheets(const DenseGraphs& graphs, const DenseCodes& codes, std::size_t set,
         const DensePeople& people, std::size_t most)
      : graphs_(graphs),
        codes_(codes),
        set_(set),
        people_(people),
        sheets_((graphs.items() + wide_strip * wide_strip - 1) / (wide_strip * wide_strip)),
        parts_(graphs.second.size() * Extremes::rows_per_branch),
        split_(people.size() * parts_, Contents::any),
        everyone_(DensePeople::group_size),
        nothing_(DensePeople::group_size, 0.0F),
        unit_(people.groups() * DensePeople::group_size, 0.0F),
        room_(people.groups() * DensePeople::group_size, 0.0F),
        out_(sheets_ * wide_strip, people.size(), most) {
    std::iota(everyone_.begin(), everyone_.end(), 0U);
    for (std::size_t p = 0; p < people.size(); ++p) {
      Extremes::split(graphs, people.z(p), split_.data() + p * parts_);
      const CodedPerson& coded = people[p].coded[set];
      unit_[p] = coded.unit;
      if (coded.up > 0) room_[p] = std::numeric_limits<float>::infinity();
    }
  }

  void sheet(std::size_t first, SheetScratch& scratch) const {
    codes_.lay_bounds(first, scratch.strips.data(), scratch.units.data());
    const std::array<Extremes, 2> extremes = {Extremes(graphs_, first),
                                              Extremes(graphs_, first + Extremes::strips)};
    for (std::size_t group = 0; group < people_.groups(); ++group) {
      const auto who = std::span(everyone_).first(people_.entries(group, 0).people());
      std::fill_n(scratch.sums.data(), who.size() * wide_strip, 0.0F);
      for (std::size_t half = 0; half < 2; ++half) {
        bound_second(group, who, extremes[half], scratch, scratch.second[half]);
      }
      // From the last stage back: what is there is what is left when those before are done.
      for (std::size_t stage = people_.stages(); stage-- > 0;) {
        if (stage + 1 <= out_.most()) keep(first, group, who.size(), stage + 1, scratch);
        people_.add_codes(set_, group, stage, scratch.strips.data(), who, scratch.sums.data(),
                          false);
      }
      keep(first, group, who.size(), 0, scratch);
    }
  }
  [[nodiscard]] std::size_t count() const noexcept { return sheets_; }
  [[nodiscard]] const StripBounds& bounds() const noexcept { return out_; }

 private:
  // 16 strips.
  void bound_second(std::size_t group, std::span<const std::uint32_t> who, const Extremes& extremes,
                    SheetScratch& scratch, const HugeBuffer<float>& out) const {
    const std::size_t first = group * DensePeople::group_size;
    kernels::estimate_people(scratch.sums.data(), nothing_.data(), scratch.units.data(),
                             extremes.coordinates.data(), parts_, split_.data() + first * parts_,
                             who, out.data());
    if (people_[first].radii.empty()) return;
    std::vector<kernels::PeopleTerm> terms;
    for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
      for (std::size_t p = 0; p < who.size(); ++p) {
        scratch.factors[2 * m][p] = people_[first + p].radii[m].outside;
        scratch.factors[2 * m + 1][p] = people_[first + p].radii[m].slack;
      }
      terms.push_back({scratch.factors[2 * m].data(), extremes.outside[m].data(), 0});
      terms.push_back({scratch.factors[2 * m + 1].data(), extremes.lengths[m].data(), 0});
    }
    kernels::add_terms(terms, who, out.data());
  }

  void keep(std::size_t strip, std::size_t group, std::size_t people, std::size_t stages,
            const SheetScratch& scratch) const {
    const std::size_t first = group * DensePeople::group_size;
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t at = half * Extremes::strips;
      kernels::bound_people(
          {scratch.sums.data() + at, unit_.data() + first, scratch.units.data() + at,
           scratch.second[half].data(), room_.data() + first, tolerance::strip_bound},
          people, out_.of(strip + at, stages) + first, out_.stride());
    }
  }

  const DenseGraphs& graphs_;
  const DenseCodes& codes_;
  std::size_t set_;
  const DensePeople& people_;
  std::size_t sheets_;
  std::size_t parts_;
  HugeBuffer<float> split_;
  std::vector<std::uint32_t> everyone_;
  std::vector<float> nothing_, unit_, room_;  // by person
  StripBounds out_;
};

}  // namespace

Extremes::Extremes(const DenseGraphs& graphs, std::size_t first)
    : coordinates(graphs.second.size() * rows_per_branch * strips),
      outside(graphs.second.size()),
      lengths(graphs.second.size()) {
  for (std::size_t m = 0; m < graphs.second.size(); ++m) {
    const Subspace& space = graphs.subspace(graphs.branch(graphs.second[m]));
    for (std::size_t s = 0; s < strips; ++s) {
      const std::size_t begin = (first + s) * kernels::wide_strip;
      const std::size_t end = std::min(graphs.items(), begin + kernels::wide_strip);
      float* to = coordinates.data() + m * rows_per_branch * strips + s;
      for (std::size_t i = begin; i < end; ++i) {
        const float* w = space.coordinates.data() + i * space.rank;
        for (std::size_t k = 0; k < leading; ++k) {
          float& most = to[k * strips];
          float& least = to[(leading + k) * strips];
          most = i == begin ? w[k] : std::max(most, w[k]);
          least = i == begin ? w[k] : std::min(least, w[k]);
        }
        const double rest = kernels::square_sum({w + leading, space.rank - leading});
        float& length = to[2 * leading * strips];
        length = std::max(length, static_cast<float>(std::sqrt(rest)));
        if (space.lengths.empty()) continue;
        outside[m][s] = std::max(outside[m][s], space.outside[i]);
        lengths[m][s] = std::max(lengths[m][s], space.lengths[i]);
      }
    }
  }
}

void Extremes::split(const DenseGraphs& graphs, const float* z, float* out) {
  for (std::size_t m = 0; m < graphs.second.size(); ++m, out += rows_per_branch) {
    const float* mine = z + graphs.direction_of[m];
    const std::size_t rank = graphs.subspace(graphs.branch(graphs.second[m])).rank;
    for (std::size_t k = 0; k < leading; ++k) {
      out[k] = std::max(0.0F, mine[k]);
      out[leading + k] = std::min(0.0F, mine[k]);
    }
    out[2 * leading] =
        static_cast<float>(std::sqrt(kernels::square_sum({mine + leading, rank - leading})));
  }
}

StripBounds strip_bounds(const DenseGraphs& graphs, const DenseCodes& codes, std::size_t set,
                         const DensePeople& people, std::size_t most, ThreadPool& pool) {
  const Sheets sheets(graphs, codes, set, people, most);
  std::vector<std::unique_ptr<SheetScratch>> scratches(pool.size());
  pool.for_chunks(sheets.count(), 1, [&](std::size_t sheet, std::size_t, unsigned worker) {
    if (!scratches[worker]) scratches[worker] = std::make_unique<SheetScratch>(graphs, codes);
    sheets.sheet(sheet * wide_strip, *scratches[worker]);
  });
  return sheets.bounds();
}

}  // namespace palate
