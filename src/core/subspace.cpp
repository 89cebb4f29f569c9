#include "core/subspace.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "kernels/panel.hpp"
#include "kernels/sparse_vector.hpp"

namespace palate {
namespace {

using kernels::panel_width;
using Small = Eigen::MatrixXd;
using Rows = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr std::size_t rows_per_chunk = 1024;

// A tall block of columns, kept as panels of 16 columns for the sparse product.
struct Block {
  Block(std::size_t n, std::size_t r) : items(n), rank(r), panels(r / panel_width) {
    for (auto& panel : panels) panel.resize(n * panel_width);
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

// out = P in
void multiply(const GraphPattern& pattern, const Array<float>& values, const Block& in, Block& out,
              ThreadPool& pool) {
  pool.for_chunks(in.items, 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = 0; p < in.panels.size(); ++p) {
      kernels::multiply(pattern.offsets.span().subspan(begin, end - begin + 1),
                        pattern.columns.span(), values.span(), in.panels[p].data(),
                        out.panels[p].data() + begin * panel_width);
    }
  });
}

// Z becomes orthonormal columns of the same span; directions that are not there become 0.
void orthonormalise(Block& z, ThreadPool& pool) {
  const auto r = static_cast<Eigen::Index>(z.rank);
  const std::size_t chunks = (z.items + rows_per_chunk - 1) / rows_per_chunk;
  std::vector<Small> grams(chunks);
  const auto rows_of = [&](std::size_t begin, std::size_t end, std::vector<float>& buffer) {
    buffer.resize((end - begin) * z.rank);
    z.copy_rows(begin, end, buffer.data());
    return Rows(buffer.data(), static_cast<Eigen::Index>(end - begin), r);
  };
  pool.for_chunks(z.items, rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> buffer;
    const Small rows = rows_of(begin, end, buffer).cast<double>();
    grams[begin / rows_per_chunk].noalias() = rows.transpose() * rows;
  });
  Small gram = Small::Zero(r, r);
  for (const Small& part : grams) gram += part;  // in a fixed order
  const Eigen::SelfAdjointEigenSolver<Small> solved(gram);
  const Eigen::VectorXd& lambda = solved.eigenvalues();
  const double least = 1e-9 * std::max(lambda.maxCoeff(), 1e-300);
  Eigen::VectorXd scale(r);
  for (Eigen::Index k = 0; k < r; ++k)
    scale[k] = lambda[k] > least ? 1 / std::sqrt(lambda[k]) : 0.0;
  const Small turn = solved.eigenvectors() * scale.asDiagonal();
  pool.for_chunks(z.items, rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<float> buffer;
    const auto rows = rows_of(begin, end, buffer);
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> turned =
        (rows.cast<double>() * turn).cast<float>();
    z.set_rows(begin, end, turned.data());
  });
}

}  // namespace

Subspace leading_subspace(const GraphPattern& pattern, const Array<float>& values, std::size_t rank,
                          std::size_t iterations, ThreadPool& pool) {
  const std::size_t items = pattern.items();
  Block z(items, rank);
  Block next(items, rank);
  if (rank > 0) {
    for (std::size_t p = 0; p < z.panels.size(); ++p) {
      Random random(p + 1);
      for (float& x : z.panels[p]) x = static_cast<float>(random.uniform() - 0.5);
    }
    for (std::size_t k = 0; k < iterations; ++k) {
      multiply(pattern, values, z, next, pool);
      std::swap(z, next);
      orthonormalise(z, pool);
    }
    orthonormalise(z, pool);  // once more: the first pass leaves the rounding of a steep spectrum
    multiply(pattern, values, z, next, pool);
  }
  std::vector<float> coordinates(items * rank);
  std::vector<float> lengths(items);
  std::vector<float> outside(items);
  pool.for_chunks(items, rows_per_chunk, [&](std::size_t begin, std::size_t end, unsigned) {
    next.copy_rows(begin, end, coordinates.data() + begin * rank);
    for (std::size_t i = begin; i < end; ++i) {
      const double whole = kernels::square_sum(
          values.span().subspan(pattern.offsets[i], pattern.offsets[i + 1] - pattern.offsets[i]));
      const double inside = kernels::square_sum({coordinates.data() + i * rank, rank});
      lengths[i] = static_cast<float>(std::sqrt(whole));
      outside[i] = static_cast<float>(std::sqrt(std::max(0.0, whole - inside) + 1e-10 * whole));
    }
  });
  return {rank, std::move(coordinates), std::move(lengths), std::move(outside)};
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
  if (out.outside.size() != items || out.lengths.size() != items ||
      out.coordinates.size() != items * out.rank || out.rank % panel_width != 0) {
    throw Error(ErrorCode::corrupt, "the subspace of the graph in the model file is damaged");
  }
  return out;
}

}  // namespace palate
