#include "methods/whole_filters.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/huge_buffer.hpp"
#include "kernels/tile_product.hpp"

namespace palate {
namespace {

using kernels::block_width;
using kernels::product_depth;
using kernels::product_tile;

constexpr std::size_t rows_per_chunk = 16;
constexpr auto array_name = "method/whole";

// A square matrix whose side is a whole number of tiles, 0 past the items.
struct Square {
  explicit Square(std::size_t items)
      : side((items + product_tile - 1) / product_tile * product_tile),
        values(side * side, Contents::any) {}
  [[nodiscard]] float* row(std::size_t i) const noexcept { return values.data() + i * side; }

  std::size_t side;
  HugeBuffer<float> values;
};

// One tile of a product and the rows of the right factor that are multiplied next.
struct Tile {
  HugeBuffer<float> sums{product_tile * product_tile, Contents::any};
  HugeBuffer<float> panel{product_depth * product_tile, Contents::any};
};

class Builder {
 public:
  Builder(const WholeFilters& filters, float* entries, ThreadPool& pool)
      : filters_(filters), entries_(entries), pool_(pool), tiles_(pool.size()) {}

  void add_branch(std::size_t b);

 private:
  void lay_power(const Branch& branch, const Square& to);
  void only_first(std::size_t b, const Square& p);
  void multiply(const Square& p, const Square& q, std::size_t row, std::size_t column,
                const Tile& tile) const;
  [[nodiscard]] float* strip_row(std::size_t strip, std::size_t j, std::size_t b) const noexcept {
    return entries_ + ((strip * filters_.items() + j) * filters_.branches() + b) * block_width;
  }
  template <class Put>
  void put_tile(std::size_t row, std::size_t column, const Tile& tile, const Put& put) const;

  const WholeFilters& filters_;
  float* entries_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<Tile>> tiles_;  // per worker
};

// P_f as a plain matrix.
void Builder::lay_power(const Branch& branch, const Square& to) {
  const DenseGraph& graph = filters_.graphs[branch.graph];
  const double power = filters_.plan->powers[branch.values].power;
  const std::vector<float> scale = graph.scale(power);
  pool_.for_chunks(to.side, rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      float* row = to.row(i);
      std::size_t width = 0;
      if (i < graph.items()) {
        width = graph.stride();
        kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(),
                              static_cast<float>(power), row);
        for (std::size_t j = 0; j < width; ++j) row[j] *= scale[i];
      }
      std::fill(row + width, row + to.side, 0.0F);
    }
  });
}

void Builder::only_first(std::size_t b, const Square& p) {
  const auto a = static_cast<float>(filters_.plan->branches[b].coefficients[0]);
  pool_.for_chunks(filters_.items(), product_tile,
                   [&](std::size_t begin, std::size_t end, unsigned) {
                     for (std::size_t s = 0; s < filters_.strips(); ++s) {
                       for (std::size_t j = begin; j < end; ++j) {
                         const float* from = p.row(j) + s * block_width;
                         float* to = strip_row(s, j, b);
                         for (std::size_t c = 0; c < block_width; ++c) to[c] = a * from[c];
                       }
                     }
                   });
}

// tile.sums = rows [row, row + product_tile) of p times as many columns of q.
void Builder::multiply(const Square& p, const Square& q, std::size_t row, std::size_t column,
                       const Tile& tile) const {
  std::fill_n(tile.sums.data(), tile.sums.size(), 0.0F);
  for (std::size_t k = 0; k < q.side; k += product_depth) {
    for (std::size_t n = 0; n < product_depth; ++n) {
      std::copy_n(q.row(k + n) + column, product_tile, tile.panel.data() + n * product_tile);
    }
    kernels::add_tile_product(p.row(row) + k, p.side, product_tile, tile.panel.data(),
                              tile.sums.data());
  }
}

// Calls put(row, first column, 16 values) for all of a tile, and, off the diagonal, for all of its
// mirror image.
template <class Put>
void Builder::put_tile(std::size_t row, std::size_t column, const Tile& tile,
                       const Put& put) const {
  const std::size_t items = filters_.items();
  const std::size_t rows = std::min(product_tile, items - row);
  const std::size_t columns = std::min(product_tile, items - column);
  for (std::size_t s = 0; s < columns; s += block_width) {
    for (std::size_t i = 0; i < rows; ++i) {
      put(row + i, column + s, tile.sums.data() + i * product_tile + s);
    }
  }
  if (row == column) return;
  std::array<float, block_width> turned;
  for (std::size_t s = 0; s < rows; s += block_width) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t c = 0; c < block_width; ++c) {
        turned[c] = tile.sums[(s + c) * product_tile + j];
      }
      put(column + j, row + s, turned.data());
    }
  }
}

void Builder::add_branch(std::size_t b) {
  const Branch& branch = filters_.plan->branches[b];
  const std::size_t order = filter_order(branch);
  const Square p(filters_.items());
  lay_power(branch, p);
  if (order == 1) return only_first(b, p);
  const std::size_t side = p.side / product_tile;
  std::unique_ptr<Square> last;  // P_f^(k-1), if that is not P_f
  for (std::size_t k = 2; k <= order; ++k) {
    const Square& q = last ? *last : p;
    std::unique_ptr<Square> next;
    if (k < order) {
      next = std::make_unique<Square>(filters_.items());
      std::fill_n(next->values.data(), next->values.size(), 0.0F);
    }
    const auto first = static_cast<float>(branch.coefficients[0]);
    const auto a = static_cast<float>(branch.coefficients[k - 1]);
    pool_.for_chunks(side * (side + 1) / 2, 1, [&](std::size_t t, std::size_t, unsigned worker) {
      if (!tiles_[worker]) tiles_[worker] = std::make_unique<Tile>();
      const Tile& tile = *tiles_[worker];
      // The lower half: rows of rarer items, which have fewer links, times columns of popular ones.
      std::size_t row = 0;
      for (; t > row; ++row) t -= row + 1;
      multiply(p, q, row * product_tile, t * product_tile, tile);
      put_tile(row * product_tile, t * product_tile, tile,
               [&](std::size_t j, std::size_t column, const float* values) {
                 float* to = strip_row(column / block_width, j, b);
                 const float* one = p.row(j) + column;
                 for (std::size_t c = 0; c < block_width; ++c) {
                   const float before = k == 2 ? first * one[c] : to[c];
                   to[c] = before + a * values[c];
                 }
                 if (next) std::copy_n(values, block_width, next->row(j) + column);
               });
    });
    last = std::move(next);
  }
}

}  // namespace

WholeFilters WholeFilters::build(std::shared_ptr<const CaGfPlan> plan, ItemOrder order,
                                 std::vector<DenseGraph> graphs, ThreadPool& pool) {
  WholeFilters out{std::move(plan), std::move(order), std::move(graphs), {}};
  const HugeBuffer<float> entries(out.strips() * out.items() * out.branches() * block_width,
                                  Contents::any);
  Builder builder(out, entries.data(), pool);
  for (std::size_t b = 0; b < out.branches(); ++b) builder.add_branch(b);
  out.entries = {entries.span(), entries.owner()};
  return out;
}

void WholeFilters::save(Parts& parts) const {
  order.save(parts, "method/order");
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    graphs[g].save(parts, "method/graph" + std::to_string(g));
  }
  parts.put(array_name, entries);
}

WholeFilters WholeFilters::load(std::shared_ptr<const CaGfPlan> plan, const Parts& parts,
                                std::size_t items) {
  WholeFilters out;
  out.order = ItemOrder::load(parts, "method/order", items);
  for (std::size_t g = 0; g < plan->graphs.size(); ++g) {
    out.graphs.push_back(DenseGraph::load(parts, "method/graph" + std::to_string(g), items));
  }
  out.plan = std::move(plan);
  out.entries = parts.get<float>(array_name);
  if (out.entries.size() != out.strips() * items * out.branches() * block_width) {
    throw Error(ErrorCode::corrupt, "the filters in the model file are damaged");
  }
  return out;
}

std::size_t filter_order(const Branch& branch) {
  std::size_t order = branch.coefficients.size();
  while (order > 1 && branch.coefficients[order - 1] == 0) --order;
  return order;
}

double whole_filter_bytes(double items, double branches) {
  // Kept: one per branch. While they are built: the graph and two of its powers.
  const double side = items + static_cast<double>(product_tile);
  return 4 * side * side * (branches + 3);
}

}  // namespace palate
