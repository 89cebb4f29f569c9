#include "ranking/whole_filters.hpp"

#include <algorithm>
#include <array>

#include "base/huge_buffer.hpp"
#include "kernels/dense/tile_product.hpp"

namespace palate {
namespace {

using kernels::block_width;
using kernels::product_depth;
using kernels::product_tile;
using kernels::score_width;

constexpr std::size_t rows_per_chunk = 16;
constexpr auto array_name = "method/whole";

using Block = std::array<float, block_width>;

// A square matrix, 0 past the items and not yet set before, as tiles of product_tile columns one
// after the other: what a step of a product takes lies together, of the left factor as of the
// right.
struct Square {
  explicit Square(std::size_t items)
      : side((items + product_tile - 1) / product_tile * product_tile),
        values(side * side, Contents::any) {
    const std::size_t width = (items + block_width - 1) / block_width * block_width;
    for (std::size_t j = 0; j < side; j += block_width) {
      for (std::size_t i = j < width ? items : 0; i < side; ++i) {
        std::fill_n(at(i, j), block_width, 0.0F);
      }
    }
  }
  /// Entries (i, j), (i, j + 1), ... up to the end of the tile; those of the next row follow.
  [[nodiscard]] float* at(std::size_t i, std::size_t j) const noexcept {
    return values.data() + (j / product_tile * side + i) * product_tile + j % product_tile;
  }

  std::size_t side;
  HugeBuffer<float> values;
};

// Rows lie too far apart for the machine to guess which comes next.
constexpr std::size_t rows_ahead = 12;
void expect_use(const float* soon) { __builtin_prefetch(soon, 1); }

class Builder {
 public:
  Builder(const WholeFilters& filters, float* entries, ThreadPool& pool)
      : filters_(filters), entries_(entries), pool_(pool) {}

  void add_branch(std::size_t b) {
    const std::size_t order = filter_order(filters_.plan->branches[b]);
    if (order == 1) return first_order(b);
    higher_orders(b, order);
  }

 private:
  // Calls put(row, first column, block) for all of P_f.
  template <class Put>
  void powers(const Branch& branch, const Put& put) {
    const DenseGraph& graph = filters_.graphs[branch.graph];
    const double power = filters_.plan->powers[branch.values].power;
    const std::vector<float> scale = graph.scale(power);
    const auto lay_rows = [&](std::size_t begin, std::size_t end, unsigned) {
      std::vector<float> row(graph.stride());
      Block block;
      for (std::size_t i = begin; i < end; ++i) {
        kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(),
                              static_cast<float>(power), row.data());
        for (std::size_t j = 0; j < row.size(); j += block_width) {
          for (std::size_t c = 0; c < block_width; ++c) block[c] = row[j + c] * scale[i];
          put(i, j, block);
        }
      }
    };
    pool_.for_chunks(graph.items(), rows_per_chunk, lay_rows);
  }
  void first_order(std::size_t b) {
    const Branch& branch = filters_.plan->branches[b];
    const auto a = static_cast<float>(branch.coefficients[0]);
    powers(branch, [&](std::size_t i, std::size_t j, Block& block) {
      for (float& value : block) value *= a;
      expect_use(strip_row(i, j + 2 * score_width, b));
      std::copy(block.begin(), block.end(), strip_row(i, j, b));
    });
  }
  void higher_orders(std::size_t b, std::size_t order) {
    const Branch& branch = filters_.plan->branches[b];
    const Square p(filters_.items());
    powers(branch, [&](std::size_t i, std::size_t j, const Block& block) {
      std::copy(block.begin(), block.end(), p.at(i, j));
    });
    const auto first = static_cast<float>(branch.coefficients[0]);
    std::unique_ptr<Square> last;  // P_f^(k-1), if that is not P_f
    for (std::size_t k = 2; k <= order; ++k) {
      std::unique_ptr<Square> next;
      if (k < order) next = std::make_unique<Square>(filters_.items());
      const auto a = static_cast<float>(branch.coefficients[k - 1]);
      half_product(p, last ? *last : p, [&](std::size_t i, std::size_t j, Block& block) {
        if (next) std::copy(block.begin(), block.end(), next->at(i, j));
        float* to = strip_row(i, j, b);
        expect_use(to + rows_ahead * filters_.branches() * score_width);
        for (float& value : block) value *= a;
        if (k > 2 || first != 0) {
          const float* lower = k > 2 ? to : p.at(i, j);
          const float factor = k > 2 ? 1.0F : first;
          expect_use(lower + rows_ahead * product_tile);
          for (std::size_t c = 0; c < block_width; ++c) block[c] += factor * lower[c];
        }
        std::copy(block.begin(), block.end(), to);
      });
      last = std::move(next);
    }
  }
  // Calls put(row, first column, block) for all of P Q, which is symmetric, from the tiles of its
  // lower half: rows of rarer items, which have fewer links, times columns of popular ones.
  template <class Put>
  void half_product(const Square& p, const Square& q, const Put& put) {
    const std::size_t side = p.side / product_tile;
    std::vector<HugeBuffer<float>> sums(pool_.size());
    pool_.for_chunks(side * (side + 1) / 2, 1, [&](std::size_t t, std::size_t, unsigned worker) {
      HugeBuffer<float>& tile = sums[worker];
      if (tile.size() == 0) tile = HugeBuffer<float>(product_tile * product_tile, Contents::any);
      // Tiles beside each other come one after the other: their rows of P stay in cache.
      std::size_t down = 0;
      for (; t > down; ++down) t -= down + 1;
      const std::size_t row = down * product_tile;
      const std::size_t column = t * product_tile;
      std::fill_n(tile.data(), tile.size(), 0.0F);
      for (std::size_t k = 0; k < q.side; k += product_depth) {
        kernels::add_tile_product(p.at(row, k), product_tile, product_tile, q.at(k, column),
                                  tile.data());
      }
      put_tile(row, column, tile.data(), put);
    });
  }
  // A tile and, off the diagonal, its mirror image.
  template <class Put>
  void put_tile(std::size_t row, std::size_t column, const float* sums, const Put& put) const {
    const std::size_t rows = std::min(product_tile, filters_.items() - row);
    const std::size_t columns = std::min(product_tile, filters_.items() - column);
    Block block;
    for (std::size_t s = 0; s < columns; s += block_width) {
      for (std::size_t i = 0; i < rows; ++i) {
        std::copy_n(sums + i * product_tile + s, block_width, block.begin());
        put(row + i, column + s, block);
      }
    }
    if (row == column) return;
    for (std::size_t s = 0; s < rows; s += block_width) {
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t c = 0; c < block_width; ++c) block[c] = sums[(s + c) * product_tile + j];
        put(column + j, row + s, block);
      }
    }
  }
  [[nodiscard]] float* strip_row(std::size_t j, std::size_t column, std::size_t b) const noexcept {
    return entries_ + filters_.offset(column / score_width, j) + b * score_width +
           column % score_width;
  }

  const WholeFilters& filters_;
  float* entries_;
  ThreadPool& pool_;
};

}  // namespace

WholeFilters WholeFilters::build(std::shared_ptr<const FilterPlan> plan, ItemOrder order,
                                 std::vector<DenseGraph> graphs, ThreadPool& pool) {
  WholeFilters out{{std::move(plan), std::move(order), std::move(graphs)}, {}};
  const HugeBuffer<float> entries(out.offset(out.strips()), Contents::any);
  // What no block of 16 columns reaches.
  for (std::size_t n = out.offset(out.strips() - 1); n < entries.size(); ++n) entries[n] = 0.0F;
  Builder builder(out, entries.data(), pool);
  for (std::size_t b = 0; b < out.branches(); ++b) builder.add_branch(b);
  out.entries = {entries.span(), entries.owner()};
  return out;
}

GraphSize WholeFilters::size() const noexcept {
  GraphSize size = PackedGraphs::size();
  size.bytes += entries.size() * sizeof(float);
  return size;
}

void WholeFilters::save(Parts& parts) const {
  PackedGraphs::save(parts);
  parts.put(array_name, entries);
}

WholeFilters WholeFilters::load(std::shared_ptr<const FilterPlan> plan, const Parts& parts,
                                std::size_t items) {
  WholeFilters out;
  out.PackedGraphs::load(std::move(plan), parts, items);
  out.entries = parts.get<float>(array_name);
  if (out.entries.size() != out.offset(out.strips())) {
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
