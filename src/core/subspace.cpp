#include "core/subspace.hpp"

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "kernels/packed_row.hpp"
#include "kernels/panel.hpp"
#include "kernels/square_sum.hpp"

namespace palate {
namespace {

constexpr std::size_t panel_width = kernels::block_width;
using Small = Eigen::MatrixXd;
using Rows = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr std::size_t block_rows_per_chunk = 1024;
constexpr std::size_t head_items = 1024;

// A tall block of columns, kept as panels of 16 columns for the sparse product.
struct Block {
  Block(std::size_t n, std::size_t r) : items(n), rank(r), panels(r / panel_width) {
    for (auto& panel : panels) panel.resize(n * panel_width, 0.0F);
  }
  std::size_t items, rank;
  std::vector<std::vector<float>> panels;

  void copy_rows(std::size_t begin, std::size_t end, float* out) const {
    for (std::size_t i = begin; i < end; ++i) {
      for (const auto& panel : panels) {
        std::copy_n(panel.data() + i * panel_width, panel_width, out);
        out += panel_width;
      }
    }
  }
  void set_rows(std::size_t begin, std::size_t end, const float* in) {
    for (std::size_t i = begin; i < end; ++i) {
      for (auto& panel : panels) {
        std::copy_n(in, panel_width, panel.data() + i * panel_width);
        in += panel_width;
      }
    }
  }
};

// Which part of P_f: so many of its first rows and columns, the latter in blocks.
struct Corner {
  std::size_t rows;
  std::size_t blocks;
};

// Rows that are multiplied together.
constexpr std::size_t tile_rows = 64;

// One power of the graph and the block that is multiplied by it.
struct Iterate {
  Iterate(const DenseGraph& graph, double s, std::size_t rank)
      : power(s), scale(graph.scale(s)), z(graph.items(), rank), next(graph.items(), rank) {}
  double power;
  std::vector<float> scale;
  Block z, next;
};

// next = P_f z over a corner for each power, P_f = G N^(s) G with G the diagonal `scale`; then z
// and next change places. z is scaled on the way.
void multiply(const DenseGraph& graph, std::vector<Iterate>& iterates, const Corner& corner,
              ThreadPool& pool) {
  const auto scale = [](Block& z, const std::vector<float>& by, std::size_t rows) {
    for (auto& panel : z.panels) {
      for (std::size_t k = 0; k < rows * panel_width; ++k) panel[k] *= by[k / panel_width];
    }
  };
  const std::size_t columns = std::min(graph.items(), corner.blocks * panel_width);
  for (Iterate& it : iterates) {
    scale(it.z, it.scale, columns);
    for (auto& panel : it.next.panels) {
      std::fill_n(panel.begin(), corner.rows * panel_width, 0.0F);
    }
  }
  pool.for_chunks(corner.rows, tile_rows, [&](std::size_t begin, std::size_t end, unsigned) {
    std::array<kernels::PackedRow, tile_rows> rows;
    for (std::size_t i = begin; i < end; ++i) rows[i - begin] = graph.row(i);
    std::vector<kernels::PanelTerm> terms;
    for (std::size_t from = 0; from < corner.blocks; from += kernels::most_tile_blocks) {
      terms.clear();
      for (Iterate& it : iterates) {
        for (std::size_t p = 0; p < it.z.panels.size(); ++p) {
          terms.push_back({static_cast<float>(it.power),
                           it.z.panels[p].data() + from * panel_width * panel_width,
                           it.next.panels[p].data() + begin * panel_width});
        }
      }
      kernels::multiply_tile(std::span(rows).first(end - begin),
                             std::min(kernels::most_tile_blocks, corner.blocks - from), terms);
    }
  });
  for (Iterate& it : iterates) {
    scale(it.next, it.scale, corner.rows);
    std::swap(it.z, it.next);
  }
}

// T with T^T gram T = 1, by Cholesky; where directions are missing, by eigenvectors, and those
// directions become 0.
Small inverse_root(const Small& gram) {
  const Eigen::Index r = gram.rows();
  const Eigen::LLT<Small> cholesky(gram);
  const auto diagonal = cholesky.matrixLLT().diagonal();
  if (cholesky.info() == Eigen::Success &&
      diagonal.minCoeff() > 1e-5 * std::sqrt(gram.diagonal().maxCoeff())) {
    return cholesky.matrixU().solve(Small::Identity(r, r));
  }
  const Eigen::SelfAdjointEigenSolver<Small> solved(gram);
  const Eigen::VectorXd& lambda = solved.eigenvalues();
  const double least = 1e-9 * std::max(lambda.maxCoeff(), 1e-300);
  Eigen::VectorXd scale(r);
  for (Eigen::Index k = 0; k < r; ++k) {
    scale[k] = lambda[k] > least ? 1 / std::sqrt(lambda[k]) : 0.0;
  }
  return solved.eigenvectors() * scale.asDiagonal();
}

// The first `count` rows of Z, which has no others but 0, become orthonormal columns of the same
// span; directions that are not there become 0.
void orthonormalise(Block& z, std::size_t count, ThreadPool& pool) {
  const auto r = static_cast<Eigen::Index>(z.rank);
  const std::size_t chunks = (count + block_rows_per_chunk - 1) / block_rows_per_chunk;
  std::vector<Small> grams(chunks);
  const auto rows_of = [&](std::size_t begin, std::size_t end, std::vector<float>& buffer) {
    buffer.resize((end - begin) * z.rank);
    z.copy_rows(begin, end, buffer.data());
    return Rows(buffer.data(), static_cast<Eigen::Index>(end - begin), r);
  };
  pool.for_chunks(count, block_rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> buffer;
    const Small rows = rows_of(begin, end, buffer).cast<double>();
    grams[begin / block_rows_per_chunk].noalias() = rows.transpose() * rows;
  });
  Small gram = Small::Zero(r, r);
  for (const Small& part : grams) gram += part;  // in a fixed order
  const Small turn = inverse_root(gram);
  pool.for_chunks(count, block_rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> buffer;
    const auto rows = rows_of(begin, end, buffer);
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> turned =
        (rows.cast<double>() * turn).cast<float>();
    z.set_rows(begin, end, turned.data());
  });
}

// Lengths of rows, and of what of them lies outside.
void measure_rows(const DenseGraph& graph, double power, const std::vector<float>& scale,
                  Subspace& space, ThreadPool& pool) {
  std::vector<float> lengths(graph.items());
  std::vector<float> outside(graph.items());
  pool.for_chunks(graph.items(), 128, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> row(graph.stride());
    for (std::size_t i = begin; i < end; ++i) {
      kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(), static_cast<float>(power),
                            row.data());
      const double own = static_cast<double>(scale[i]);
      const double whole = own * own * kernels::square_sum(row);
      const double inside =
          kernels::square_sum({space.coordinates.data() + i * space.rank, space.rank});
      lengths[i] = static_cast<float>(std::sqrt(whole));
      outside[i] = static_cast<float>(std::sqrt(std::max(0.0, whole - inside) + 1e-6 * whole));
    }
  });
  space.lengths = std::move(lengths);
  space.outside = std::move(outside);
}

}  // namespace

std::vector<Subspace> leading_subspaces(const DenseGraph& graph, std::span<const double> powers,
                                        const SubspaceOptions& options, ThreadPool& pool) {
  const std::size_t items = graph.items();
  const std::size_t rank = options.rank;
  // Most of the leading directions lies among the most popular items: iterate there, where it is
  // cheap, and then spread the result over all.
  const Corner head{std::min(items, head_items),
                    std::min(graph.blocks(), head_items / panel_width)};
  std::vector<Iterate> iterates;
  for (const double power : powers) {
    Iterate& it = iterates.emplace_back(graph, power, rank);
    for (std::size_t p = 0; p < it.z.panels.size(); ++p) {
      Random random(p + 1);
      for (std::size_t k = 0; k < head.rows * panel_width; ++k) {
        it.z.panels[p][k] = static_cast<float>(random.uniform() - 0.5);
      }
    }
  }
  const auto step = [&](const Corner& corner) {
    multiply(graph, iterates, corner, pool);
    for (Iterate& it : iterates) orthonormalise(it.z, corner.rows, pool);
  };
  for (std::size_t k = 0; k < options.iterations; ++k) step(head);
  step({items, head.blocks});
  for (Iterate& it : iterates) {
    // Once more: the first pass leaves the rounding of a steep spectrum.
    orthonormalise(it.z, items, pool);
  }
  multiply(graph, iterates, {items, graph.blocks()}, pool);
  std::vector<Subspace> out;
  for (const Iterate& it : iterates) {
    std::vector<float> coordinates(items * rank);
    it.z.copy_rows(0, items, coordinates.data());
    out.push_back({rank, std::move(coordinates), {}, {}});
    if (options.lengths) measure_rows(graph, it.power, it.scale, out.back(), pool);
  }
  return out;
}

Subspace leading_subspace(const GraphPattern& pattern, const Array<float>& values,
                          const SubspaceOptions& options, ThreadPool& pool) {
  const std::size_t items = pattern.items();
  Block z(items, options.rank);
  Block next(items, options.rank);
  for (std::size_t p = 0; p < z.panels.size(); ++p) {
    Random random(p + 1);
    for (float& x : z.panels[p]) x = static_cast<float>(random.uniform() - 0.5);
  }
  const auto step = [&] {
    pool.for_chunks(items, 256, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = 0; p < z.panels.size(); ++p) {
        kernels::multiply(pattern.offsets.span().subspan(begin, end - begin + 1),
                          pattern.columns.span(), values.span(), z.panels[p].data(),
                          next.panels[p].data() + begin * panel_width);
      }
    });
    std::swap(z, next);
  };
  for (std::size_t k = 0; k < options.iterations; ++k) {
    step();
    orthonormalise(z, items, pool);
  }
  orthonormalise(z, items, pool);
  step();
  std::vector<float> coordinates(items * options.rank);
  z.copy_rows(0, items, coordinates.data());
  return {options.rank, std::move(coordinates), {}, {}};
}

void Subspace::save(Parts& parts, const std::string& name) const {
  parts.put(name + "/coordinates", coordinates);
  parts.put(name + "/lengths", lengths);
  parts.put(name + "/outside", outside);
}

Subspace Subspace::load(const Parts& parts, const std::string& name, std::size_t items) {
  Subspace out;
  out.coordinates = parts.get<float>(name + "/coordinates");
  out.lengths = parts.get<float>(name + "/lengths");
  out.outside = parts.get<float>(name + "/outside");
  out.rank = items == 0 ? 0 : out.coordinates.size() / items;
  const std::size_t known = out.lengths.size();
  if ((known != items && known != 0) || out.outside.size() != known || out.rank == 0 ||
      out.coordinates.size() != items * out.rank || out.rank % panel_width != 0) {
    throw Error(ErrorCode::corrupt, "the subspace of the graph in the model file is damaged");
  }
  return out;
}

}  // namespace palate
