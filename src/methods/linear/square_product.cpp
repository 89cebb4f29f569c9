#include "methods/linear/square_product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/dense/block_product.hpp"

namespace palate {
namespace {

using kernels::block_columns;
using kernels::block_rows;

// So many rows and so deep that what is laid out stays in the second-level cache.
constexpr std::size_t tile_rows = 192;
constexpr std::size_t tile_depth = 256;

class Product {
 public:
  Product(std::span<const float> a, std::span<const float> b, std::size_t order, float* out)
      : a_(a), b_(b), order_(order), out_(out) {}

  void rows(std::size_t begin, std::size_t end) {
    for (std::size_t from = 0; from < order_; from += tile_depth) {
      const std::size_t depth = std::min(tile_depth, order_ - from);
      lay_left(begin, end, from, depth);
      for (std::size_t j = 0; j < order_; j += block_columns) {
        lay_right(j, from, depth);
        for (std::size_t i = begin; i < end; i += block_rows) add(i, end, j, begin, depth);
      }
    }
  }

 private:
  void lay_left(std::size_t begin, std::size_t end, std::size_t from, std::size_t depth) {
    left_.assign(tile_rows * tile_depth, 0.0F);
    for (std::size_t i = begin; i < end; ++i) {
      float* to = left_.data() + (i - begin) / block_rows * block_rows * tile_depth +
                  (i - begin) % block_rows;
      for (std::size_t k = 0; k < depth; ++k) to[k * block_rows] = a_[i * order_ + from + k];
    }
  }
  void lay_right(std::size_t j, std::size_t from, std::size_t depth) {
    const std::size_t width = std::min(block_columns, order_ - j);
    right_.assign(block_columns * tile_depth, 0.0F);
    for (std::size_t k = 0; k < depth; ++k) {
      std::copy_n(b_.data() + (from + k) * order_ + j, width, right_.data() + k * block_columns);
    }
  }
  void add(std::size_t i, std::size_t end, std::size_t j, std::size_t begin, std::size_t depth) {
    std::array<float, block_rows * block_columns> part{};
    kernels::add_block_product(left_.data() + (i - begin) * tile_depth, right_.data(), depth, 1.0F,
                               part.data(), block_columns);
    const std::size_t height = std::min(block_rows, end - i);
    const std::size_t width = std::min(block_columns, order_ - j);
    for (std::size_t r = 0; r < height; ++r) {
      float* to = out_ + (i + r) * order_ + j;
      for (std::size_t c = 0; c < width; ++c) to[c] += part[r * block_columns + c];
    }
  }

  std::span<const float> a_, b_;
  std::size_t order_;
  float* out_;
  std::vector<float> left_, right_;
};

}  // namespace

HugeBuffer<float> square_product(std::span<const float> a, std::span<const float> b,
                                 std::size_t order, const FitResources& resources) {
  HugeBuffer<float> out(order * order);
  resources.pool.for_chunks(order, tile_rows, "weights", resources.progress,
                            [&](std::size_t begin, std::size_t end, unsigned) {
                              Product(a, b, order, out.data()).rows(begin, end);
                            });
  return out;
}

}  // namespace palate
