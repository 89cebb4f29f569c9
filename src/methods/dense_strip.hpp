// A strip of columns of a sparse graph laid out densely, so that many people can use it while it is
// in cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/thread_pool.hpp"
#include "kernels/dense_panel.hpp"
#include "methods/ca_gf_graphs.hpp"

namespace palate {

class DenseStrip {
 public:
  explicit DenseStrip(std::size_t items)
      : items_(items),
        values_(std::make_unique_for_overwrite<float[]>(items * kernels::strip_width)) {}

  /// Columns [first, first + strip_width) of P_f, as far as there are items; one row of strip_width
  /// floats per item.
  void lay_out(const CaGfGraphs& graphs, const Branch& branch, std::size_t first,
               ThreadPool& pool) {
    pool.for_chunks(items_, 2048, [&](std::size_t begin, std::size_t end, unsigned) {
      std::fill(values_.get() + begin * kernels::strip_width,
                values_.get() + end * kernels::strip_width, 0.0F);
    });
    constexpr std::size_t line = 16;  // floats in a cache line: no two threads write to one
    const std::size_t last = std::min(items_, first + kernels::strip_width);
    pool.for_chunks(kernels::strip_width, line, [&](std::size_t begin, std::size_t end, unsigned) {
      // P is symmetric: its columns are its rows.
      for (std::size_t i = first + begin; i < std::min(last, first + end); ++i) {
        const auto columns = graphs.columns(branch, i);
        const float* row = graphs.row(branch, i);
        float* to = values_.get() + (i - first);
        for (std::size_t k = 0; k < columns.size(); ++k) {
          to[std::size_t{columns[k]} * kernels::strip_width] = row[k];
        }
      }
    });
  }

  [[nodiscard]] const float* data() const noexcept { return values_.get(); }
  [[nodiscard]] const float* row(std::size_t item) const noexcept {
    return values_.get() + item * kernels::strip_width;
  }

 private:
  std::size_t items_;
  std::unique_ptr<float[]> values_;
};

}  // namespace palate
