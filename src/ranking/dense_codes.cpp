#include "ranking/dense_codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/graph/lay.hpp"
#include "kernels/lists/people.hpp"

namespace palate {
namespace {

using kernels::block_width;

constexpr double highest_code = tolerance::code_headroom * kernels::largest_code;
static_assert(kernels::wide_strip == DenseGraph::strip_rows);
constexpr float none = -1e29F;  // log2 of what is not there is less

// Of the logarithms of the largest entries of rows.
double mean_peak(const DenseGraph& graph) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < graph.items(); ++i) {
    if (graph.peak(i) < none) continue;
    sum += static_cast<double>(graph.peak(i));
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

template <class Visit>
void DenseCodes::for_each(const Visit& visit) const {
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    visit(n, pairs_[n].low, 0);
    if (pairs_[n].both) visit(n, pairs_[n].high, 16);
  }
}

DenseCodes::DenseCodes(const DenseGraphs& graphs, std::span<const std::size_t> branches)
    : graphs_(graphs), item_unit_(graphs.stride() + block_width, 1.0F) {
  for (std::size_t g = 0; g < graphs.graphs.size(); ++g) {
    bool open = false;  // whether the last pair has room
    for (const std::size_t b : branches) {
      const Branch& branch = graphs.branch(b);
      if (branch.graph != g) continue;
      const Coded one{
          b, std::exp2(static_cast<double>(graphs.power(branch)) * mean_peak(graphs.graphs[g]))};
      if (open) {
        pairs_.back().high = one;
        pairs_.back().both = true;
      } else {
        pairs_.push_back({one, {}, false});
      }
      open = !open;
    }
  }
  std::vector<double> largest(graphs.items(), 0.0);  // entry of the row by its typical size
  for_each([&](std::size_t, const Coded& one, unsigned) {
    const Branch& branch = graphs.branch(one.branch);
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const float peak = graphs.graph(branch).peak(i);
      if (peak < none) continue;
      largest[i] = std::max(largest[i],
                            static_cast<double>(std::exp2(graphs.power(branch) * peak)) / one.size);
    }
  });
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (largest[i] > 0) item_unit_[i] = static_cast<float>(largest[i] / highest_code);
  }
}

void DenseCodes::lay(std::size_t n, std::size_t block, std::uint32_t* strip) const {
  const Pair& pair = pairs_[n];
  const Branch& low = graphs_.branch(pair.low.branch);
  const Branch& high = graphs_.branch(pair.high.branch);
  const DenseGraph& graph = graphs_.graph(low);
  std::array<kernels::PackedRow, block_width> rows;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t first = std::min((block + half) * block_width, graphs_.items());
    const std::size_t width = std::min(block_width, graphs_.items() - first);
    for (std::size_t r = 0; r < width; ++r) rows[r] = graph.row(first + r);
    std::array<float, block_width> low_factor;
    std::array<float, block_width> high_factor;
    for (std::size_t r = 0; r < width; ++r) {
      const double u = (1 + tolerance::code) / static_cast<double>(item_unit_[first + r]);
      low_factor[r] = static_cast<float>(std::log2(u / pair.low.size));
      high_factor[r] = static_cast<float>(std::log2(u / pair.high.size));
    }
    kernels::lay_codes(std::span<const kernels::PackedRow>(rows).first(width), graphs_.blocks(),
                       graph.shift() + first, graph.shift(),
                       {graphs_.power(low), low_factor.data()},
                       {pair.both ? graphs_.power(high) : 0.0F, high_factor.data()},
                       strip + half * block_width, kernels::wide_strip);
  }
}

// One lane of a strip of bounds.
void DenseCodes::bound_strip(std::size_t strip, std::uint32_t* to, float* unit) const {
  const std::size_t begin = strip * kernels::wide_strip;
  const std::size_t width = std::min(kernels::wide_strip, graphs_.items() - begin);
  std::vector<std::vector<float>> logs(graphs_.graphs.size());
  std::vector<double> peaks(graphs_.graphs.size(), 0.0);
  std::array<kernels::PackedRow, kernels::wide_strip> rows;
  double largest = 0;  // entry by its typical size
  for_each([&](std::size_t, const Coded& one, unsigned) {
    const Branch& branch = graphs_.branch(one.branch);
    const DenseGraph& graph = graphs_.graph(branch);
    std::vector<float>& mine = logs[branch.graph];
    if (mine.empty()) {
      mine.resize(graphs_.stride());
      if (const auto tops = graph.tops(strip); !tops.empty()) {
        kernels::logs_of(tops, mine.data(), false);
      } else {
        for (std::size_t r = 0; r < width; ++r) rows[r] = graph.row(begin + r);
        kernels::largest_logs(std::span(rows).first(width), graph.blocks(), graph.shift() + begin,
                              begin, mine.data());
      }
      float peak = graph.peak(begin);
      for (std::size_t r = 1; r < width; ++r) peak = std::max(peak, graph.peak(begin + r));
      peaks[branch.graph] = static_cast<double>(peak);
    }
    largest = std::max(
        largest,
        std::exp2(static_cast<double>(graphs_.power(branch)) * peaks[branch.graph]) / one.size);
  });
  *unit = largest > 0 ? static_cast<float>(largest / highest_code) : 1.0F;
  const double u = (1 + tolerance::code) / static_cast<double>(*unit);
  std::vector<std::uint32_t> codes(graphs_.stride());
  for (const Pair& pair : pairs_) {
    const Branch& low = graphs_.branch(pair.low.branch);
    const Branch& high = graphs_.branch(pair.high.branch);
    const auto low_factor = static_cast<float>(std::log2(u / pair.low.size));
    const auto high_factor = static_cast<float>(std::log2(u / pair.high.size));
    kernels::code_logs(logs[low.graph].data(), graphs_.blocks(), graphs_.graph(low).shift(),
                       {graphs_.power(low), &low_factor},
                       {pair.both ? graphs_.power(high) : 0.0F, &high_factor}, codes.data());
    for (std::size_t j = 0; j < codes.size(); ++j) to[j * kernels::wide_strip] = codes[j];
    to += graphs_.stride() * kernels::wide_strip;
  }
}

void DenseCodes::lay_bounds(std::size_t first, std::uint32_t* strips, float* units) const {
  const std::size_t all = (graphs_.items() + kernels::wide_strip - 1) / kernels::wide_strip;
  const std::size_t count = std::min(kernels::wide_strip, all - first);
  if (count < kernels::wide_strip) {
    std::fill_n(strips, pairs_.size() * graphs_.stride() * kernels::wide_strip, 0U);
    std::fill_n(units, kernels::wide_strip, 1.0F);
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    bound_strip(first + lane, strips + lane, units + lane);
  }
}

CodedPerson DenseCodes::encode(const PlacedSignal& signal,
                               std::span<std::uint32_t* const> out) const {
  const std::size_t entries = signal.places.size();
  double largest = 0;
  for_each([&](std::size_t, const Coded& one, unsigned) {
    const double a = std::abs(graphs_.branch(one.branch).coefficients[0]) * one.size;
    for (const float x : signal.x[one.branch]) {
      largest = std::max(largest, a * std::abs(static_cast<double>(x)));
    }
  });
  for (std::size_t n = 0; n < pairs_.size(); ++n) std::fill_n(out[n], entries, 0U);
  if (largest == 0) return {};
  const double v = (kernels::largest_factor - tolerance::factor_headroom) / largest;
  double sum = 0;
  double negative = 0;
  bool below_zero = false;
  double least = kernels::largest_factor;
  for_each([&](std::size_t n, const Coded& one, unsigned shift) {
    const double a = graphs_.branch(one.branch).coefficients[0] * one.size * v;
    for (std::size_t k = 0; k < entries; ++k) {
      const double value = a * static_cast<double>(signal.x[one.branch][k]);
      const double code = std::ceil(value);
      below_zero |= value < 0;
      if (code == 0) continue;
      if (code > 0) {
        sum += code;
        least = std::min(least, code);
      } else {
        negative -= code;
      }
      out[n][k] |= (static_cast<std::uint32_t>(static_cast<std::int32_t>(code)) & 0xFFFFU) << shift;
    }
  });
  CodedPerson person;
  if (!below_zero) {
    person.unit = static_cast<float>((1 + tolerance::code) / v);
    person.rate = static_cast<float>(1 / least + 3 * tolerance::code);
    person.down = static_cast<float>(sum);
  } else {  // nothing is known of sum_j q_j but that no code is higher than the highest
    const double most = 2.0 * kernels::largest_code * static_cast<double>(entries);
    person.unit = static_cast<float>(1 / v);
    person.up = static_cast<float>(tolerance::most_codes * (negative + most));
    person.down = static_cast<float>(tolerance::most_codes * (sum + most));
  }
  return person;
}

}  // namespace palate
