#include "methods/linear/spd_inverse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/dense/block_product.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

using kernels::block_columns;
using kernels::block_rows;

// Rows and columns of a tile: so many that two laid out factors stay in the second-level cache.
constexpr std::size_t tile = 192;
static_assert(tile % block_rows == 0 && tile % block_columns == 0);

// c of `rows` x `columns`, as memory has it, += factor a b of laid out factors.
template <class Number>
void add_product(const Number* a, const Number* b, Number factor, Number* c, std::size_t stride,
                 std::size_t rows, std::size_t columns) {
  const auto add = [&](const Number* left, const Number* right, Number* to, std::size_t step) {
    if constexpr (sizeof(Number) == sizeof(float)) {
      kernels::add_block_product(left, right, tile, factor, to, step);
    } else {
      kernels::add_block_product_double(left, right, tile, factor, to, step);
    }
  };
  for (std::size_t j = 0; j < columns; j += block_columns) {
    for (std::size_t i = 0; i < rows; i += block_rows) {
      const std::size_t height = std::min(block_rows, rows - i);
      const std::size_t width = std::min(block_columns, columns - j);
      Number* to = c + i * stride + j;
      if (height == block_rows && width == block_columns) {
        add(a + i * tile, b + j * tile, to, stride);
        continue;
      }
      std::array<Number, block_rows * block_columns> part{};
      add(a + i * tile, b + j * tile, part.data(), block_columns);
      for (std::size_t r = 0; r < height; ++r) {
        for (std::size_t s = 0; s < width; ++s) to[r * stride + s] += part[r * block_columns + s];
      }
    }
  }
}

// Lays a tile out in groups of `Width`: out[group][k][x], k < tile, is element (k, group + x), 0
// beyond `depth` and `count`. The element is at from[k * stride + x], or, if it is turned, at
// from[x * stride + k].
template <std::size_t Width, class Number>
void lay_out(const Number* from, std::size_t stride, bool turned, std::size_t depth,
             std::size_t count, Number* out) {
  for (std::size_t group = 0; group < tile; group += Width) {
    Number* to = out + group * tile;
    const std::size_t width = group < count ? std::min(Width, count - group) : 0;
    if (width < Width || depth < tile) std::fill_n(to, Width * tile, Number{0});
    if (turned) {
      for (std::size_t x = 0; x < width; ++x) {
        const Number* row = from + (group + x) * stride;
        for (std::size_t k = 0; k < depth; ++k) to[k * Width + x] = row[k];
      }
    } else {
      for (std::size_t k = 0; k < depth; ++k) {
        std::copy_n(from + k * stride + group, width, to + k * Width);
      }
    }
  }
}

void refuse() {
  throw Error(ErrorCode::bad_input,
              "the weights between items cannot be computed from these ratings", {},
              "a larger lambda makes the equations solvable");
}

// The pairs (row, column) with column <= row: the n-th of them.
std::pair<std::size_t, std::size_t> pair_at(std::size_t n) {
  auto row = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(n) + 1) - 1) / 2);
  while (row * (row + 1) / 2 > n) --row;
  while ((row + 1) * (row + 2) / 2 <= n) ++row;
  return {row, n - row * (row + 1) / 2};
}

// The element (r, c) of the matrix, r >= c, stands at memory(c, r) = matrix[c * order + r].
template <class Number>
class Inversion {
 public:
  Inversion(std::span<Number> matrix, std::size_t order, const FitResources& resources)
      : matrix_(matrix),
        order_(order),
        count_((order + tile - 1) / tile),
        resources_(resources),
        left_(count_ * tile * tile),
        right_(count_ * tile * tile),
        corner_(tile * tile) {}

  void run() {
    for (std::size_t k = 0; k < count_; ++k) factorise(k);
    for (std::size_t k = 0; k < count_; ++k) invert_factor(k);
    for (std::size_t k = 0; k < count_; ++k) multiply_factors(k);
  }

 private:
  [[nodiscard]] std::size_t size(std::size_t t) const { return std::min(tile, order_ - t * tile); }
  [[nodiscard]] Number* at(std::size_t column, std::size_t row) const {
    return matrix_.data() + column * tile * order_ + row * tile;
  }
  [[nodiscard]] Number* left(std::size_t t) { return left_.data() + t * tile * tile; }
  [[nodiscard]] Number* right(std::size_t t) { return right_.data() + t * tile * tile; }

  template <class Work>
  void each(std::size_t count, const Work& work) const {
    resources_.pool.for_chunks(count, 1, [&](std::size_t n, std::size_t, unsigned) { work(n); });
  }
  // The passes take about as long.
  void step(std::size_t pass, std::size_t k) const {
    if (!resources_.progress) return;
    if (!resources_.progress("weights", pass * count_ + k + 1, 3 * count_)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }

  // Of the tile (row t, column k): element (x, q) as factor [q][x].
  template <std::size_t Width>
  void lay_column(std::size_t t, std::size_t k, Number* out) const {
    lay_out<Width>(at(k, t), order_, false, size(k), size(t), out);
  }
  // Of the tile (row k, column t): element (q, x) as factor [q][x].
  template <std::size_t Width>
  void lay_row(std::size_t k, std::size_t t, Number* out) const {
    lay_out<Width>(at(t, k), order_, true, size(k), size(t), out);
  }
  // Of the triangle in the corner, kept in corner_ with zeros: element (x, q) as factor [q][x], or
  // (q, x) if it is turned.
  template <std::size_t Width>
  void lay_corner(std::size_t k, bool turned, Number* out) const {
    lay_out<Width>(corner_.data(), tile, turned, size(k), size(k), out);
  }
  void take_corner(std::size_t k) {
    const Number* from = at(k, k);
    for (std::size_t c = 0; c < tile; ++c) {
      for (std::size_t r = 0; r < tile; ++r) {
        corner_[c * tile + r] = r >= c && r < size(k) ? from[c * order_ + r] : Number{0};
      }
    }
  }
  // tile (row, column) = factor a b
  void replace(Number factor, const Number* a, const Number* b, std::size_t row,
               std::size_t column) const {
    for (std::size_t c = 0; c < size(column); ++c) {
      std::fill_n(at(column, row) + c * order_, size(row), Number{0});
    }
    add(factor, a, b, row, column);
  }
  void add(Number factor, const Number* a, const Number* b, std::size_t row,
           std::size_t column) const {
    add_product(a, b, factor, at(column, row), order_, size(column), size(row));
  }

  // The corner becomes L, by columns, and then L^-1.
  void invert_corner(std::size_t k) {
    take_corner(k);
    const std::size_t n = size(k);
    Number* l = corner_.data();
    for (std::size_t j = 0; j < n; ++j) {
      Number* own = l + j * tile;
      if (!(own[j] > 0)) refuse();
      const Number scale = 1 / std::sqrt(own[j]);
      for (std::size_t r = j; r < n; ++r) own[r] *= scale;
      for (std::size_t c = j + 1; c < n; ++c) {
        Number* to = l + c * tile;
        for (std::size_t r = c; r < n; ++r) to[r] -= own[c] * own[r];
      }
    }
    std::vector<Number> x(n);
    for (std::size_t c = 0; c < n; ++c) {
      std::fill(x.begin(), x.end(), Number{0});
      x[c] = 1;
      for (std::size_t j = c; j < n; ++j) {
        const Number* own = l + j * tile;
        x[j] /= own[j];
        for (std::size_t r = j + 1; r < n; ++r) x[r] -= x[j] * own[r];
      }
      inverse_.insert(inverse_.end(), x.begin(), x.end());
    }
    for (std::size_t c = 0; c < n; ++c) {
      std::copy_n(inverse_.begin() + static_cast<std::ptrdiff_t>(c * n), n, l + c * tile);
      std::copy_n(l + c * tile, n, at(k, k) + c * order_);
    }
    inverse_.clear();
  }

  // A = L L^T; L^-1 stands in the corners.
  void factorise(std::size_t k) {
    invert_corner(k);
    const std::size_t below = count_ - k - 1;
    lay_corner<block_rows>(k, false, left(k));
    each(below, [&](std::size_t n) {
      const std::size_t row = k + 1 + n;
      lay_column<block_columns>(row, k, right(row));
      replace(1, left(k), right(row), row, k);  // L_rk = A_rk L_kk^-T
      lay_column<block_columns>(row, k, right(row));
      lay_column<block_rows>(row, k, left(row));
    });
    each(below * (below + 1) / 2, [&](std::size_t n) {
      const auto [row, column] = pair_at(n);
      add(-1, left(k + 1 + column), right(k + 1 + row), k + 1 + row, k + 1 + column);
    });
    step(0, k);
  }

  // L becomes X = L^-1: with T_rk = -L_rk X_kk and Y_kc what stands there, X_rc += T_rk Y_kc and
  // X_kc = X_kk Y_kc.
  void invert_factor(std::size_t k) {
    take_corner(k);
    lay_corner<block_rows>(k, true, left(k));
    lay_corner<block_columns>(k, false, right(k));
    const std::size_t below = count_ - k - 1;
    each(below, [&](std::size_t n) {
      const std::size_t row = k + 1 + n;
      lay_column<block_columns>(row, k, right(row));
      replace(-1, left(k), right(row), row, k);
      lay_column<block_columns>(row, k, right(row));
    });
    each(k, [&](std::size_t column) {
      lay_row<block_rows>(k, column, left(column));
      replace(1, left(column), right(k), k, column);
    });
    if (k > 0) {
      each(below * k,
           [&](std::size_t n) { add(1, left(n % k), right(k + 1 + n / k), k + 1 + n / k, n % k); });
    }
    step(1, k);
  }

  // X becomes the lower triangle of X^T X.
  void multiply_factors(std::size_t k) {
    take_corner(k);
    each(k, [&](std::size_t t) {
      lay_row<block_rows>(k, t, left(t));
      lay_row<block_columns>(k, t, right(t));
    });
    lay_corner<block_rows>(k, true, left(k));
    lay_corner<block_columns>(k, true, right(k));
    each(k * (k + 1) / 2, [&](std::size_t n) {
      const auto [row, column] = pair_at(n);
      add(1, left(column), right(row), row, column);
    });
    each(k + 1, [&](std::size_t column) { replace(1, left(column), right(k), k, column); });
    step(2, k);
  }

  std::span<Number> matrix_;
  std::size_t order_;
  std::size_t count_;
  const FitResources& resources_;
  std::vector<Number> left_, right_;  // factors of one step, tile by tile
  std::vector<Number> corner_, inverse_;
};

}  // namespace

void invert_spd(std::span<float> matrix, std::size_t order, const FitResources& resources) {
  Inversion<float>(matrix, order, resources).run();
}

void invert_spd(std::span<double> matrix, std::size_t order, const FitResources& resources) {
  Inversion<double>(matrix, order, resources).run();
}

}  // namespace palate
