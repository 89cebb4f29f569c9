#include "graph/subspace.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.hpp"
#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/graph/packed_row.hpp"

namespace palate {
namespace {

using kernels::block_width;
using Small = Eigen::MatrixXd;
using Rows = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr std::size_t block_rows_per_chunk = 1024;
constexpr std::size_t head_items = 1024;

// Columns of a tall matrix, by halves of the strips that they stand in.
struct Columns {
  static constexpr std::size_t half = block_width / 2;
  std::size_t rows;
  std::vector<float*> halves;

  [[nodiscard]] std::size_t rank() const { return halves.size() * half; }
  void copy_rows(std::size_t begin, std::size_t end, float* out) const {
    for (std::size_t i = begin; i < end; ++i) {
      for (const float* from : halves) out = std::copy_n(from + i * block_width, half, out);
    }
  }
  void set_rows(std::size_t begin, std::size_t end, const float* in) const {
    for (std::size_t i = begin; i < end; ++i) {
      for (float* to : halves) {
        std::copy_n(in, half, to + i * block_width);
        in += half;
      }
    }
  }
};

// A tall matrix, kept as strips of 16 columns for the products.
struct Strips {
  Strips(std::size_t n, std::size_t count) : rows(n), of((count + block_width - 1) / block_width) {
    for (auto& strip : of) strip.resize(n * block_width, 0.0F);
  }
  std::size_t rows;
  std::vector<std::vector<float>> of;

  [[nodiscard]] Columns columns(std::size_t first, std::size_t rank) {
    Columns out{rows, {}};
    for (std::size_t c = first; c < first + rank; c += Columns::half) {
      out.halves.push_back(of[c / block_width].data() + c % block_width);
    }
    return out;
  }
};

// Which part of P_f: so many of its first rows and columns, the latter in blocks.
struct Corner {
  std::size_t rows;
  std::size_t blocks;
};

// Rows that are multiplied together.
constexpr std::size_t tile_rows = 64;

// Powers of a graph and, side by side, the columns that are multiplied by each.
class Iteration {
 public:
  Iteration(const DenseGraph& graph, std::span<const double> powers, std::size_t rank)
      : graph_(graph),
        powers_(powers.begin(), powers.end()),
        rank_(rank),
        z_(graph.items(), powers.size() * rank),
        next_(graph.items(), powers.size() * rank) {
    for (const double power : powers) scales_.push_back(graph.scale(power));
  }

  [[nodiscard]] Columns columns(std::size_t n) { return z_.columns(n * rank_, rank_); }
  [[nodiscard]] const std::vector<float>& scale(std::size_t n) const { return scales_[n]; }

  // z becomes P_f z over a corner for each power, P_f = G N^(s) G with G the diagonal `scale`.
  void multiply(const Corner& corner, ThreadPool& pool) {
    scale_rows(z_, std::min(graph_.items(), corner.blocks * block_width));
    for (auto& strip : next_.of) std::fill_n(strip.begin(), corner.rows * block_width, 0.0F);
    pool.for_chunks(corner.rows, tile_rows, [&](std::size_t begin, std::size_t end, unsigned) {
      std::array<kernels::PackedRow, tile_rows> rows;
      for (std::size_t i = begin; i < end; ++i) rows[i - begin] = graph_.row(i);
      std::vector<kernels::StripTerm> terms(z_.of.size());
      for (std::size_t from = 0; from < corner.blocks; from += kernels::most_tile_blocks) {
        for (std::size_t p = 0; p < terms.size(); ++p) {
          terms[p] = {power_of(2 * p), power_of(2 * p + 1),
                      z_.of[p].data() + from * block_width * block_width,
                      next_.of[p].data() + begin * block_width};
        }
        kernels::multiply_tile(std::span(rows).first(end - begin),
                               std::min(kernels::most_tile_blocks, corner.blocks - from), terms);
      }
    });
    std::swap(z_, next_);
    scale_rows(z_, corner.rows);
  }

 private:
  // Of half a strip; of the last, if it is left over, that of the one before.
  [[nodiscard]] std::size_t owner(std::size_t half) const {
    return std::min(half * Columns::half / rank_, powers_.size() - 1);
  }
  [[nodiscard]] float power_of(std::size_t half) const {
    return static_cast<float>(powers_[owner(half)]);
  }
  void scale_rows(Strips& strips, std::size_t rows) const {
    for (std::size_t half = 0; half < 2 * strips.of.size(); ++half) {
      const std::vector<float>& by = scales_[owner(half)];
      float* to = strips.of[half / 2].data() + half % 2 * Columns::half;
      for (std::size_t i = 0; i < rows; ++i, to += block_width) {
        for (std::size_t lane = 0; lane < Columns::half; ++lane) to[lane] *= by[i];
      }
    }
  }

  const DenseGraph& graph_;
  std::vector<double> powers_;
  std::size_t rank_;
  std::vector<std::vector<float>> scales_;
  Strips z_, next_;
};

// T with T^T gram T = 1, by Cholesky; where directions are missing, by eigenvectors, and those
// directions become 0.
Small inverse_root(const Small& gram) {
  const Eigen::Index r = gram.rows();
  const Eigen::LLT<Small> cholesky(gram);
  const auto diagonal = cholesky.matrixLLT().diagonal();
  if (cholesky.info() == Eigen::Success &&
      diagonal.minCoeff() > tolerance::least_pivot * std::sqrt(gram.diagonal().maxCoeff())) {
    return cholesky.matrixU().solve(Small::Identity(r, r));
  }
  const Eigen::SelfAdjointEigenSolver<Small> solved(gram);
  const Eigen::VectorXd& lambda = solved.eigenvalues();
  const double least =
      tolerance::least_eigenvalue * std::max(lambda.maxCoeff(), tolerance::no_eigenvalue);
  Eigen::VectorXd scale(r);
  for (Eigen::Index k = 0; k < r; ++k) {
    scale[k] = lambda[k] > least ? 1 / std::sqrt(lambda[k]) : 0.0;
  }
  return solved.eigenvectors() * scale.asDiagonal();
}

// Z becomes orthonormal columns of the same span; directions that are not there become 0.
void orthonormalise(const Columns& z, ThreadPool& pool) {
  const auto r = static_cast<Eigen::Index>(z.rank());
  const std::size_t chunks = (z.rows + block_rows_per_chunk - 1) / block_rows_per_chunk;
  std::vector<Small> grams(chunks);
  const auto rows_of = [&](std::size_t begin, std::size_t end, std::vector<float>& buffer) {
    buffer.resize((end - begin) * z.rank());
    z.copy_rows(begin, end, buffer.data());
    return Rows(buffer.data(), static_cast<Eigen::Index>(end - begin), r);
  };
  pool.for_chunks(z.rows, block_rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> buffer;
    const Small rows = rows_of(begin, end, buffer).cast<double>();
    grams[begin / block_rows_per_chunk].noalias() = rows.transpose() * rows;
  });
  Small gram = Small::Zero(r, r);
  for (const Small& part : grams) gram += part;  // in a fixed order
  const Small turn = inverse_root(gram);
  pool.for_chunks(z.rows, block_rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> buffer;
    const auto rows = rows_of(begin, end, buffer);
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> turned =
        (rows.cast<double>() * turn).cast<float>();
    z.set_rows(begin, end, turned.data());
  });
}

// The same start for everybody.
void set_random(const Columns& z, std::size_t rows) {
  for (std::size_t first = 0; first < z.rank(); first += block_width) {
    Random random(first / block_width + 1);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = first; c < std::min(z.rank(), first + block_width); ++c) {
        z.halves[c / Columns::half][i * block_width + c % Columns::half] =
            static_cast<float>(random.uniform() - 0.5);
      }
    }
  }
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
      const double rest = std::max(0.0, whole - inside) + tolerance::row_square * whole;
      outside[i] = static_cast<float>(std::sqrt(rest));
    }
  });
  space.lengths = std::move(lengths);
  space.outside = std::move(outside);
}

}  // namespace

std::vector<Subspace> leading_subspaces(const DenseGraph& graph, std::span<const double> powers,
                                        const SubspaceOptions& options, ThreadPool& pool) {
  if (powers.empty()) return {};
  const std::size_t items = graph.items();
  const std::size_t rank = options.rank;
  // Most of the leading directions lie among the most popular items: iterate there, where it is
  // cheap, and then spread the result over all.
  const Corner head{std::min(items, head_items),
                    std::min(graph.blocks(), head_items / block_width)};
  Iteration iteration(graph, powers, rank);
  for (std::size_t n = 0; n < powers.size(); ++n) set_random(iteration.columns(n), head.rows);
  // What lies below a corner is 0.
  const auto orthonormalise_all = [&](std::size_t rows) {
    for (std::size_t n = 0; n < powers.size(); ++n) {
      Columns columns = iteration.columns(n);
      columns.rows = rows;
      orthonormalise(columns, pool);
    }
  };
  const auto step = [&](const Corner& corner) {
    iteration.multiply(corner, pool);
    orthonormalise_all(corner.rows);
  };
  for (std::size_t k = 0; k < options.iterations; ++k) step(head);
  step({items, head.blocks});
  orthonormalise_all(items);  // once more: the first leaves the rounding of a steep spectrum
  iteration.multiply({items, graph.blocks()}, pool);
  std::vector<Subspace> out;
  for (std::size_t n = 0; n < powers.size(); ++n) {
    std::vector<float> coordinates(items * rank);
    iteration.columns(n).copy_rows(0, items, coordinates.data());
    out.push_back({rank, std::move(coordinates), {}, {}});
    if (options.lengths) {
      measure_rows(graph, powers[n], iteration.scale(n), out.back(), pool);
    }
  }
  return out;
}

Subspace leading_subspace(const GraphPattern& pattern, const Array<float>& values,
                          const SubspaceOptions& options, ThreadPool& pool) {
  const std::size_t items = pattern.items();
  Strips z(items, options.rank);
  Strips next(items, options.rank);
  set_random(z.columns(0, options.rank), items);
  const auto step = [&] {
    pool.for_chunks(items, 256, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = 0; p < z.of.size(); ++p) {
        kernels::multiply(pattern.offsets.span().subspan(begin, end - begin + 1),
                          pattern.columns.span(), values.span(), z.of[p].data(),
                          next.of[p].data() + begin * block_width);
      }
    });
    std::swap(z, next);
  };
  const auto turn = [&] { orthonormalise(z.columns(0, options.rank), pool); };
  for (std::size_t k = 0; k < options.iterations; ++k) {
    step();
    turn();
  }
  turn();
  step();
  std::vector<float> coordinates(items * options.rank);
  z.columns(0, options.rank).copy_rows(0, items, coordinates.data());
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
      out.coordinates.size() != items * out.rank || out.rank % Columns::half != 0) {
    throw Error(ErrorCode::corrupt, "the subspace of the graph in the model file is damaged");
  }
  return out;
}

}  // namespace palate
