#include "methods/dense_first.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/lay.hpp"
#include "kernels/square_sum.hpp"
#include "kernels/strip.hpp"

namespace palate {
namespace {

using kernels::strip_width;
using kernels::wide_strip;

// A person, and which of his candidates.
using Asked = std::pair<std::uint32_t, std::uint32_t>;

// Two strips of the second-order branches, side by side.
void lay_wide(const DenseGraphs& graphs, std::size_t block, float* to) {
  const std::size_t n = graphs.second.size();
  std::array<kernels::PackedRow, strip_width> rows;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t first = std::min((block + half) * strip_width, graphs.items());
    const std::size_t width = std::min(strip_width, graphs.items() - first);
    // Branches of one graph share the way through its rows.
    for (std::size_t g = 0; g < graphs.graphs.size(); ++g) {
      std::array<kernels::StripOutput, max_criteria> outputs;
      std::size_t powers = 0;
      for (std::size_t m = 0; m < n; ++m) {
        const Branch& branch = graphs.branch(graphs.second[m]);
        if (branch.graph == g) {
          outputs[powers++] = {graphs.power(branch), to + m * wide_strip + half * strip_width};
        }
      }
      if (powers == 0) continue;
      const DenseGraph& graph = graphs.graphs[g];
      for (std::size_t r = 0; r < width; ++r) rows[r] = graph.row(first + r);
      kernels::lay_strip(std::span<const kernels::PackedRow>(rows).first(width), graphs.blocks(),
                         graph.shift() + first,
                         std::span<const kernels::StripOutput>(outputs).first(powers),
                         n * wide_strip);
    }
  }
}

void measure(const DenseGraphs& graphs, DensePeople& people, const HugeBuffer<float>& squares,
             ThreadPool& pool) {
  const std::size_t n = graphs.second.size();
  pool.for_chunks(people.size(), 512, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<double> lengths((end - begin) * n, 0.0);
    for (std::size_t block = 0; block < graphs.blocks(); ++block) {
      const float* some = squares.data() + (block * people.size() + begin) * n;
      for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] += static_cast<double>(some[k]);
    }
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t m = 0; m < n; ++m) {
        const Branch& branch = graphs.branch(graphs.second[m]);
        people[p].radii.push_back(
            radius_of(branch.coefficients[1], std::sqrt(lengths[(p - begin) * n + m]),
                      std::sqrt(kernels::square_sum(
                          {people.z(p) + graphs.direction_of[m], graphs.subspace(branch).rank}))));
      }
    }
  });
}

// The first order of one item for some people, from floats.
void settle_item(const DenseGraphs& graphs, DensePeople& people, std::span<const std::size_t> open,
                 const FirstOrders& y, std::uint32_t place, std::span<const Asked> who,
                 std::vector<std::vector<float>>& rows) {
  rows.resize(open.size() + 1);
  std::vector<float>& shift = rows.back();
  for (auto& row : rows) row.resize(graphs.stride());
  for (std::size_t n = 0; n < open.size(); ++n) {
    const Branch& branch = graphs.branch(open[n]);
    const DenseGraph& graph = graphs.graph(branch);
    std::fill(shift.begin(), shift.end(), graph.shift()[place]);
    kernels::unpack_power(graph.row(place), graph.blocks(), shift.data(), graphs.power(branch),
                          rows[n].data());
  }
  const std::size_t block = place / strip_width;
  const std::size_t lane = place % strip_width;
  std::array<float, max_criteria * strip_width> lanes{};
  std::array<const float*, max_criteria> firsts{};
  std::array<float, strip_width> first;
  std::array<float, strip_width> estimate;
  for (const auto& [p, k] : who) {
    Person& person = people[p];
    for (std::size_t n = 0; n < graphs.first.size(); ++n) {
      const std::size_t b = graphs.first[n];
      const auto at = std::find(open.begin(), open.end(), b);
      if (at == open.end()) {
        firsts[n] = y.of(second_of(graphs, b), p, block);
        continue;
      }
      firsts[n] = lanes.data() + n * strip_width;
      lanes[n * strip_width + lane] =
          kernels::sum_at(rows[static_cast<std::size_t>(at - open.begin())].data(),
                          people.places(person), people.x(b, person));
    }
    estimate_block(graphs, block, std::span(firsts).first(graphs.first.size()), people.z(p),
                   first.data(), estimate.data());
    Candidate& one = person.candidates[k];
    one.first = first[lane];
    one.estimate = estimate[lane];
    one.radius = 2e-6F * (std::abs(one.first) + std::abs(one.estimate - one.first));
    for (std::size_t m = 0; m < person.radii.size(); ++m) {
      const std::size_t i = m * graphs.stride() + place;
      one.radius +=
          person.radii[m].outside * graphs.outside[i] + person.radii[m].slack * graphs.lengths[i];
    }
  }
}

}  // namespace

FirstOrders first_orders(const DenseGraphs& graphs, DensePeople& people, ThreadPool& pool) {
  const std::size_t n = graphs.second.size();
  // A block more than there are: strips come in twos.
  FirstOrders y(people.size(), n, graphs.stride() + strip_width);
  const HugeBuffer<float> squares(graphs.blocks() * people.size() * n, Contents::any);
  std::vector<HugeBuffer<float>> strips(pool.size());
  const std::size_t wide = (graphs.blocks() + 1) / 2;
  pool.for_chunks(wide, 1, [&](std::size_t two, std::size_t, unsigned worker) {
    const std::size_t block = 2 * two;
    HugeBuffer<float>& strip = strips[worker];
    if (strip.size() == 0) {
      strip = HugeBuffer<float>(graphs.stride() * n * wide_strip, Contents::any);
    }
    lay_wide(graphs, block, strip.data());
    for (std::size_t group = 0; group < people.groups(); ++group) {
      const std::size_t first = group * DensePeople::group_size;
      for (std::size_t tile = 0; tile < people.tiles(); ++tile) {
        kernels::add_wide_rows(strip.data() + tile * people.tile_rows() * n * wide_strip, n,
                               people.entries(group, tile), people.floats(), y.of(0, first, block),
                               y.of(0, first, block + 1), n * strip_width, tile == 0);
      }
      const std::size_t last = std::min(people.size(), first + DensePeople::group_size);
      for (std::size_t b = block; b < std::min(block + 2, graphs.blocks()); ++b) {
        for (std::size_t p = first; p < last; ++p) {
          for (std::size_t m = 0; m < n; ++m) {
            const float* mine = y.of(m, p, b);
            squares[(b * people.size() + p) * n + m] =
                kernels::strips_dot(mine, strip_width, mine, strip_width, 1);
          }
        }
      }
    }
  });
  measure(graphs, people, squares, pool);
  return y;
}

void settle_first_orders(const DenseGraphs& graphs, DensePeople& people,
                         std::span<const std::size_t> open, const FirstOrders& y,
                         ThreadPool& pool) {
  std::vector<std::uint32_t> starts(graphs.items() + 1, 0);
  for (std::size_t p = 0; p < people.size(); ++p) {
    for (const Candidate& one : people[p].candidates) ++starts[one.place + 1];
  }
  for (std::size_t i = 0; i < graphs.items(); ++i) starts[i + 1] += starts[i];
  std::vector<Asked> who(starts.back());
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (std::uint32_t p = 0; p < people.size(); ++p) {
    for (std::uint32_t k = 0; k < people[p].candidates.size(); ++k) {
      who[next[people[p].candidates[k].place]++] = {p, k};
    }
  }
  std::vector<std::vector<std::vector<float>>> rows(pool.size());
  pool.for_chunks(graphs.items(), 16, [&](std::size_t begin, std::size_t end, unsigned worker) {
    for (std::size_t i = begin; i < end; ++i) {
      if (starts[i] == starts[i + 1]) continue;
      settle_item(graphs, people, open, y, static_cast<std::uint32_t>(i),
                  std::span(who).subspan(starts[i], starts[i + 1] - starts[i]), rows[worker]);
    }
  });
}

}  // namespace palate
