#include "methods/dense_extremes.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/square_sum.hpp"

namespace palate {

using kernels::strip_width;

Extremes::Extremes(const DenseGraphs& graphs, std::size_t first, std::size_t count)
    : coordinates(graphs.second.size() * rows_per_branch * strip_width),
      outside(graphs.second.size()),
      lengths(graphs.second.size()) {
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t from = (first + r) * strip_width;
    const std::size_t width = std::min(strip_width, graphs.items() - from);
    for (std::size_t m = 0; m < graphs.second.size(); ++m) {
      const Subspace& space = graphs.subspace(graphs.branch(graphs.second[m]));
      const float* w = graphs.coordinates.data() +
                       ((first + r) * graphs.directions + graphs.direction_of[m]) * strip_width;
      float* to = coordinates.data() + m * rows_per_branch * strip_width + r;
      for (std::size_t k = 0; k < leading; ++k, w += strip_width) {
        to[k * strip_width] = *std::max_element(w, w + width);
        to[(leading + k) * strip_width] = *std::min_element(w, w + width);
      }
      std::array<float, strip_width> squares{};
      for (std::size_t k = leading; k < space.rank; ++k, w += strip_width) {
        for (std::size_t c = 0; c < width; ++c) squares[c] += w[c] * w[c];
      }
      to[2 * leading * strip_width] = std::sqrt(*std::max_element(squares.begin(), squares.end()));
      for (std::size_t i = from; i < from + width && !space.lengths.empty(); ++i) {
        outside[m][r] = std::max(outside[m][r], space.outside[i]);
        lengths[m][r] = std::max(lengths[m][r], space.lengths[i]);
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
