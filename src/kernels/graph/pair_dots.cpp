#include "kernels/graph/pair_dots.hpp"

namespace palate::kernels {

void add_pair_dots(std::span<const float> left, std::span<const std::uint32_t> items,
                   const float* rows, double* sums) noexcept {
  const std::size_t width = left.size();
  for (std::size_t j = 0; j < items.size(); ++j) {
    const float* right = rows + j * width;
    double dot = 0;
    for (std::size_t c = 0; c < width; ++c) {
      dot += static_cast<double>(left[c]) * static_cast<double>(right[c]);
    }
    sums[items[j]] += dot;
  }
}

}  // namespace palate::kernels
