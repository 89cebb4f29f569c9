#include "ranking/dense_graphs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/graph/packed_sums.hpp"

namespace palate {

using kernels::block_width;

void DenseGraphs::save(Parts& parts) const {
  PackedGraphs::save(parts);
  for (std::size_t v = 0; v < subspaces.size(); ++v) {
    if (subspaces[v].rank > 0) subspaces[v].save(parts, "method/subspace" + std::to_string(v));
  }
}

GraphSize DenseGraphs::size() const noexcept {
  GraphSize size = PackedGraphs::size();
  for (const Subspace& space : subspaces) {
    size.bytes += (space.coordinates.size() + 2 * space.lengths.size()) * sizeof(float);
  }
  return size;
}

void DenseGraphs::prepare() {
  for (const auto& [graph, power] : plan->powers) scale.push_back(graphs[graph].scale(power));
  for (std::size_t b = 0; b < plan->branches.size(); ++b) {
    const auto& a = branch(b).coefficients;
    if (a[0] != 0) first.push_back(b);
    if (a.size() == 2 && a[1] != 0) second.push_back(b);
    higher |= a.size() > 2;
  }
  if (higher) return;
  for (const std::size_t b : second) {
    direction_of.push_back(directions);
    directions += subspace(branch(b)).rank;
  }
  coordinates.assign(stride() * directions, 0.0F);
  for (std::size_t m = 0; m < second.size(); ++m) {
    const Subspace& space = subspace(branch(second[m]));
    for (std::size_t i = 0; i < items(); ++i) {
      float* to = coordinates.data() +
                  (i / block_width * directions + direction_of[m]) * block_width + i % block_width;
      for (std::size_t r = 0; r < space.rank; ++r) {
        to[r * block_width] = space.coordinates[i * space.rank + r];
      }
    }
    outside.insert(outside.end(), space.outside.begin(), space.outside.end());
    lengths.insert(lengths.end(), space.lengths.begin(), space.lengths.end());
    outside.resize((m + 1) * stride(), 0.0F);
    lengths.resize((m + 1) * stride(), 0.0F);
  }
  for (std::size_t block = 0; block < blocks(); ++block) {
    std::array<float, block_width> squares{};
    const float* w = coordinates.data() + block * directions * block_width;
    for (std::size_t k = 0; k < directions * block_width; ++k) {
      squares[k % block_width] += w[k] * w[k];
    }
    longest.push_back(std::sqrt(*std::max_element(squares.begin(), squares.end())));
  }
}

std::size_t second_of(const DenseGraphs& graphs, std::size_t branch) {
  return static_cast<std::size_t>(std::find(graphs.second.begin(), graphs.second.end(), branch) -
                                  graphs.second.begin());
}

void PlacedSignal::set(const DenseGraphs& graphs, const Signal& signal) {
  const std::size_t n = signal.ratings.size();
  sorted_.resize(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    sorted_[k] = std::uint64_t{graphs.order.place_of[signal.ratings.items[k]]} << 32U | k;
  }
  std::sort(sorted_.begin(), sorted_.end());
  const auto position = [this](std::size_t k) { return static_cast<std::uint32_t>(sorted_[k]); };
  places.resize(n);
  seen.clear();
  for (std::size_t k = 0; k < n; ++k) {
    places[k] = static_cast<std::uint32_t>(sorted_[k] >> 32U);
    if ((signal.ratings.present[position(k)] & 1U) != 0) seen.push_back(places[k]);
  }
  x.resize(graphs.plan->branches.size());
  for (std::size_t b = 0; b < x.size(); ++b) {
    x[b].resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      x[b][k] = signal.at(position(k), graphs.branch(b).criteria, graphs.plan->criteria);
    }
  }
  if (graphs.higher) return;
  z.assign(graphs.directions, 0.0F);
  for (std::size_t m = 0; m < graphs.second.size(); ++m) {
    const Branch& branch = graphs.branch(graphs.second[m]);
    const Subspace& space = graphs.subspace(branch);
    const auto a = static_cast<float>(branch.coefficients[1]);
    float* mine = z.data() + graphs.direction_of[m];
    for (std::size_t k = 0; k < n; ++k) {
      const float factor = a * x[graphs.second[m]][k];
      const float* w = space.coordinates.data() + places[k] * space.rank;
      for (std::size_t r = 0; r < space.rank; ++r) mine[r] += factor * w[r];
    }
  }
}

void first_of_block(const DenseGraphs& graphs, std::span<const float* const> y, float* first) {
  std::fill_n(first, block_width, 0.0F);
  for (std::size_t n = 0; n < graphs.first.size(); ++n) {
    const auto a = static_cast<float>(graphs.branch(graphs.first[n]).coefficients[0]);
    for (std::size_t c = 0; c < block_width; ++c) first[c] += a * y[n][c];
  }
}

void add_second_of_block(const DenseGraphs& graphs, std::size_t block, const float* z,
                         float* estimate) {
  kernels::add_rows(graphs.coordinates.data() + block * graphs.directions * block_width,
                    graphs.directions, z, estimate);
}

Slice dot_slice(std::size_t slice, std::size_t strips) {
  const std::size_t groups = (strips + strips_per_dot - 1) / strips_per_dot;
  const auto border = [&](std::size_t k) {
    return std::min(strips, k * groups / dot_slices * strips_per_dot);
  };
  return {border(slice), border(slice + 1)};
}

double row_dot(const float* row, const float* y, std::size_t size) {
  double total = 0;
  for (std::size_t slice = 0; slice < dot_slices; ++slice) {
    const auto [begin, end] = dot_slice(slice, size / block_width);
    total += kernels::grouped_dot(row + begin * block_width, y + begin * block_width, end - begin,
                                  strips_per_dot);
  }
  return total;
}

double row_dot(kernels::PackedRow row, std::size_t blocks, const float* shift, float power,
               const float* y) {
  double total = 0;
  for (std::size_t slice = 0; slice < dot_slices; ++slice) {
    const auto [begin, end] = dot_slice(slice, blocks);
    const std::size_t at = begin * block_width;
    const auto [sum, links] =
        kernels::power_dot(row, end - begin, shift + at, power, y + at, strips_per_dot);
    total += sum;
    row.masks += end - begin;
    row.logs += links;
  }
  return total;
}

double second_order_of(const DenseGraphs& graphs, std::size_t m, std::size_t place, double dot) {
  const Branch& branch = graphs.branch(graphs.second[m]);
  return branch.coefficients[1] * static_cast<double>(graphs.scale[branch.values][place]) * dot;
}

double estimated_second_order(const DenseGraphs& graphs, std::size_t m, std::size_t place,
                              const float* z) {
  const Subspace& space = graphs.subspace(graphs.branch(graphs.second[m]));
  const float* const mine = z + graphs.direction_of[m];
  const float* const w = space.coordinates.data() + place * space.rank;
  double sum = 0;
  for (std::size_t r = 0; r < space.rank; ++r) {
    sum += static_cast<double>(mine[r]) * static_cast<double>(w[r]);
  }
  return sum;
}

Radius radius_of(const DenseGraphs& graphs, std::size_t m, std::size_t ratings, double square,
                 const float* z) {
  const Branch& branch = graphs.branch(graphs.second[m]);
  const double whole = branch.coefficients[1] * branch.coefficients[1] * square;
  const double inside =
      kernels::square_sum({z + graphs.direction_of[m], graphs.subspace(branch).rank});
  const double rest =
      std::max(0.0, whole - inside) + tolerance::person_square(graphs.items(), ratings) * whole;
  const double slack = tolerance::second_order(graphs.items(), graphs.directions);
  return {static_cast<float>(std::sqrt(rest)), static_cast<float>(slack * std::sqrt(whole))};
}

float radius_at(const DenseGraphs& graphs, std::span<const Radius> radii, std::size_t place) {
  float sum = 0;
  for (std::size_t m = 0; m < radii.size(); ++m) {
    const std::size_t at = m * graphs.stride() + place;
    sum += radii[m].outside * graphs.outside[at] + radii[m].slack * graphs.lengths[at];
  }
  return sum;
}

}  // namespace palate
