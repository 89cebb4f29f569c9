#include "ranking/dense_extremes.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/dense/strip.hpp"

namespace palate {

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

}  // namespace palate
