#include "methods/dense_bounds.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "methods/dense_extremes.hpp"

namespace palate {
namespace {

using kernels::wide_strip;

constexpr float bound_rounding = 4e-5F;

// What a worker needs for a panel of 32 strips.
struct PanelScratch {
  PanelScratch(const DenseGraphs& graphs, const DenseCodes& codes)
      : strips(codes.pairs() * graphs.stride() * wide_strip, Contents::any),
        sums(DensePeople::group_size * wide_strip, Contents::any),
        bounds(DensePeople::group_size * Extremes::strips, Contents::any),
        unit(DensePeople::group_size),
        factors(2 * graphs.second.size()) {
    for (auto& some : factors) some.resize(DensePeople::group_size);
  }
  HugeBuffer<std::uint32_t> strips;
  HugeBuffer<float> sums, bounds;
  std::vector<float> unit;
  std::vector<std::vector<float>> factors;
};

class StripBounds {
 public:
  StripBounds(const DenseGraphs& graphs, const DenseCodes& codes, std::size_t set,
              const DensePeople& people)
      : graphs_(graphs),
        codes_(codes),
        set_(set),
        people_(people),
        strips_((graphs.items() + wide_strip - 1) / wide_strip),
        parts_(graphs.second.size() * Extremes::rows_per_branch),
        split_(people.size() * parts_, Contents::any),
        everyone_(DensePeople::group_size),
        out_(strips_ * people.size(), Contents::any) {
    std::iota(everyone_.begin(), everyone_.end(), 0U);
    for (std::size_t p = 0; p < people.size(); ++p) {
      Extremes::split(graphs, people.z(p), split_.data() + p * parts_);
    }
  }

  void panel(std::size_t first, PanelScratch& scratch) const {
    std::array<float, wide_strip> units;
    codes_.lay_bounds(first, scratch.strips.data(), units.data());
    const std::array<Extremes, 2> extremes = {Extremes(graphs_, first),
                                              Extremes(graphs_, first + Extremes::strips)};
    for (std::size_t group = 0; group < people_.groups(); ++group) {
      people_.sum_codes(set_, group, scratch.strips.data(), everyone(group), scratch.sums.data());
      for (std::size_t half = 0; half < 2; ++half) {
        bound(first + half * Extremes::strips, group, scratch.sums.data() + half * Extremes::strips,
              units.data() + half * Extremes::strips, extremes[half], scratch);
      }
    }
  }
  [[nodiscard]] std::size_t strips() const noexcept { return strips_; }
  [[nodiscard]] const HugeBuffer<float>& bounds() const noexcept { return out_; }

 private:
  [[nodiscard]] std::span<const std::uint32_t> everyone(std::size_t group) const {
    return std::span(everyone_).first(people_.entries(group, 0).people());
  }

  // 16 strips.
  void bound(std::size_t strip, std::size_t group, const float* sums, const float* units,
             const Extremes& extremes, PanelScratch& scratch) const {
    const std::size_t first = group * DensePeople::group_size;
    const auto who = everyone(group);
    for (std::size_t p = 0; p < who.size(); ++p) {
      scratch.unit[p] = people_[first + p].coded[set_].unit;
    }
    kernels::estimate_people(sums, scratch.unit.data(), units, extremes.coordinates.data(), parts_,
                             split_.data() + first * parts_, who, scratch.bounds.data());
    if (!people_[first].radii.empty()) add_radii(first, who, extremes, scratch);
    const std::size_t count = std::min(Extremes::strips, strips_ - std::min(strips_, strip));
    for (std::size_t s = 0; s < count; ++s) {
      float* out = out_.data() + (strip + s) * people_.size() + first;
      for (std::size_t p = 0; p < who.size(); ++p) {
        const Person& person = people_[first + p];
        const float found = scratch.bounds[p * Extremes::strips + s];
        out[p] = person.coded[set_].up > 0
                     ? std::numeric_limits<float>::infinity()
                     : found + bound_rounding * (std::abs(found) + 2 * sums[p * wide_strip + s] *
                                                                       scratch.unit[p] * units[s]);
      }
    }
  }

  void add_radii(std::size_t first, std::span<const std::uint32_t> who, const Extremes& extremes,
                 PanelScratch& scratch) const {
    std::vector<kernels::PeopleTerm> terms;
    for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
      for (std::size_t p = 0; p < who.size(); ++p) {
        scratch.factors[2 * m][p] = people_[first + p].radii[m].outside;
        scratch.factors[2 * m + 1][p] = people_[first + p].radii[m].slack;
      }
      terms.push_back({scratch.factors[2 * m].data(), extremes.outside[m].data(), 0});
      terms.push_back({scratch.factors[2 * m + 1].data(), extremes.lengths[m].data(), 0});
    }
    kernels::add_terms(terms, who, scratch.bounds.data());
  }

  const DenseGraphs& graphs_;
  const DenseCodes& codes_;
  std::size_t set_;
  const DensePeople& people_;
  std::size_t strips_;
  std::size_t parts_;
  HugeBuffer<float> split_;
  std::vector<std::uint32_t> everyone_;
  HugeBuffer<float> out_;
};

}  // namespace

HugeBuffer<float> strip_bounds(const DenseGraphs& graphs, const DenseCodes& codes, std::size_t set,
                               const DensePeople& people, ThreadPool& pool) {
  const StripBounds bounds(graphs, codes, set, people);
  std::vector<std::unique_ptr<PanelScratch>> scratches(pool.size());
  const std::size_t panels = (bounds.strips() + wide_strip - 1) / wide_strip;
  pool.for_chunks(panels, 1, [&](std::size_t panel, std::size_t, unsigned worker) {
    if (!scratches[worker]) scratches[worker] = std::make_unique<PanelScratch>(graphs, codes);
    bounds.panel(panel * wide_strip, *scratches[worker]);
  });
  return bounds.bounds();
}

}  // namespace palate
