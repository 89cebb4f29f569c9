#include "methods/spectral/leading_pairs.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "palate/error.hpp"
#include "ranking/memory_budget.hpp"

namespace palate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Columns of a block: a product reads the matrix once for all of them.
constexpr Index block_columns = 16;
// Of a pair, |A v - value v| as a share of the largest value. The sine of the angle by which a
// subspace is off is at most this over the gap of its values to the rest; scores are in single
// precision.
constexpr double small_residual = 1e-7;
// Lengths of new columns, as a share of the largest value, below which nothing new was found.
constexpr double nothing_new = 1e-12;
// Values below this share of the largest are rounding: of a matrix of less rank.
constexpr double least_value = 1e-10;

std::size_t most_columns(std::size_t order, std::size_t count) {
  return std::min(order, 6 * count + 256);
}

class BlockLanczos {
 public:
  BlockLanczos(std::size_t order, std::size_t count,
               const std::function<Block(const Block&)>& apply, const FitResources& resources)
      : order_(static_cast<Index>(order)),
        count_(static_cast<Index>(std::min(order, count))),
        most_(static_cast<Index>(most_columns(order, count))),
        apply_(apply),
        resources_(resources),
        basis_(order_, most_),
        small_(MatrixXd::Zero(most_, most_)) {}

  LeadingPairs run() {
    append(random_block(std::min(block_columns, order_)));
    Index check = std::min(most_, 2 * count_ + 4 * block_columns);
    for (;;) {
      const Index begin = done_;
      const Index width = columns_ - done_;
      MatrixXd w = apply_(basis_.middleCols(begin, width));
      small_.block(0, begin, columns_, width) = subtract(w);
      small_.block(0, begin, columns_, width) += subtract(w);
      done_ = columns_;
      if (resources_.progress && !resources_.progress("directions", static_cast<std::size_t>(done_),
                                                      static_cast<std::size_t>(most_))) {
        throw Error(ErrorCode::cancelled, "stopped on request");
      }
      const MatrixXd rest = next_block(w);
      if (done_ >= check || columns_ == done_) {
        if (solve(rest) || columns_ == done_) break;
        check = std::min(most_, check + check / 3);
      }
    }
    return pairs();
  }

 private:
  // Q^T w taken off w, and given back.
  MatrixXd subtract(MatrixXd& w) {
    MatrixXd c(columns_, w.cols());
    const auto columns = static_cast<std::size_t>(columns_);
    resources_.pool.for_chunks(columns, 64, [&](std::size_t begin, std::size_t end, unsigned) {
      const auto from = static_cast<Index>(begin);
      const auto many = static_cast<Index>(end - begin);
      c.middleRows(from, many).noalias() = basis_.middleCols(from, many).transpose() * w;
    });
    const auto order = static_cast<std::size_t>(order_);
    resources_.pool.for_chunks(order, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
      const auto from = static_cast<Index>(begin);
      const auto many = static_cast<Index>(end - begin);
      w.middleRows(from, many).noalias() -= basis_.block(from, 0, many, columns_) * c;
    });
    return c;
  }

  [[nodiscard]] MatrixXd random_block(Index width) {
    MatrixXd out(order_, width);
    for (Index c = 0; c < width; ++c) {
      for (Index r = 0; r < order_; ++r) out(r, c) = random_.uniform() - 0.5;
    }
    return out;
  }

  // The block becomes part of the basis, orthogonal to it. Twice is enough for rounding.
  void append(MatrixXd block) {
    for (int pass = 0; pass < 2; ++pass) {
      if (columns_ > 0) static_cast<void>(subtract(block));
      const Eigen::HouseholderQR<MatrixXd> qr(block);
      block = qr.householderQ() * MatrixXd::Identity(order_, block.cols());
    }
    basis_.middleCols(columns_, block.cols()) = block;
    columns_ += block.cols();
  }

  // Adds what is left of w as the next block, filled up at random where it has too few directions,
  // if there is room; gives back R of w = Q R, which says how far the old block leads out.
  MatrixXd next_block(const MatrixXd& w) {
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(w);
    const Index rows = std::min(w.rows(), w.cols());
    const MatrixXd upper = qr.matrixR().topRows(rows).template triangularView<Eigen::Upper>();
    const Index width = std::min(w.cols(), most_ - columns_);
    if (width > 0) {
      largest_ = std::max(largest_, small_.diagonal().head(done_).cwiseAbs().maxCoeff());
      Index found = 0;
      while (found < rows && std::abs(upper(found, found)) > nothing_new * largest_) ++found;
      MatrixXd q = qr.householderQ() * MatrixXd::Identity(order_, w.cols());
      if (found < w.cols()) q.rightCols(w.cols() - found) = random_block(w.cols() - found);
      append(q.leftCols(width));
    }
    return upper * qr.colsPermutation().transpose();
  }

  // Whether the wanted pairs are good enough; `rest` is what the last block leads to.
  bool solve(const MatrixXd& rest) {
    const MatrixXd whole =
        small_.topLeftCorner(done_, done_).template selfadjointView<Eigen::Upper>();
    solver_.compute(whole);
    const Index wanted = std::min(count_, done_);
    const double largest = solver_.eigenvalues().cwiseAbs().maxCoeff();
    const MatrixXd last = solver_.eigenvectors().bottomRows(rest.cols()).rightCols(wanted);
    return (rest * last).colwise().norm().maxCoeff() <= small_residual * largest;
  }

  LeadingPairs pairs() {
    const VectorXd& values = solver_.eigenvalues();
    const double least = least_value * std::max(0.0, values.maxCoeff());
    Index wanted = 0;
    while (wanted < std::min(count_, done_) && values[done_ - 1 - wanted] > least) ++wanted;
    LeadingPairs out{values.tail(wanted).reverse(), MatrixXd(order_, wanted)};
    const MatrixXd turn = solver_.eigenvectors().rightCols(wanted).rowwise().reverse();
    const auto order = static_cast<std::size_t>(order_);
    resources_.pool.for_chunks(order, 512, [&](std::size_t begin, std::size_t end, unsigned) {
      const auto from = static_cast<Index>(begin);
      const auto many = static_cast<Index>(end - begin);
      out.vectors.middleRows(from, many).noalias() = basis_.block(from, 0, many, done_) * turn;
    });
    return out;
  }

  Index order_, count_, most_;
  const std::function<Block(const Block&)>& apply_;
  const FitResources& resources_;
  MatrixXd basis_;
  MatrixXd small_;     // basis^T A basis
  Index columns_ = 0;  // of the basis
  Index done_ = 0;     // those that were multiplied
  double largest_ = 0;
  Random random_{1};
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver_;
};

}  // namespace

double leading_pairs_bytes(std::size_t order, std::size_t count) {
  const auto columns = static_cast<double>(most_columns(order, count));
  return sizeof(double) * columns * (static_cast<double>(order) + 4 * columns);
}

LeadingPairs leading_pairs(std::size_t order, std::size_t count,
                           const std::function<Block(const Block&)>& apply,
                           const FitResources& resources) {
  if (order == 0 || count == 0) {
    return {VectorXd(0), MatrixXd(static_cast<Index>(order), Index{0})};
  }
  MemoryBudget(resources.memory)
      .check(leading_pairs_bytes(order, count), "fewer leading directions (rank) take less memory");
  return BlockLanczos(order, count, apply, resources).run();
}

LeadingPairs leading_directions(const NormalizedMatrix& matrix, std::size_t count,
                                const FitResources& resources) {
  return leading_pairs(
      matrix.items(), std::min({count, matrix.items(), matrix.users()}),
      [&](const Block& x) { return matrix.smooth(x, resources.pool); }, resources);
}

}  // namespace palate
