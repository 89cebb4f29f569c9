#include "methods/linear/spd_inverse.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "palate/error.hpp"

extern "C" {
void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void strtri_(const char* uplo, const char* diag, const int* n, float* a, const int* lda, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda,
             int* info);
void slauum_(const char* uplo, const int* n, float* a, const int* lda, int* info);
void dlauum_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace palate {
namespace {

// The routines of one precision.
template <class Number>
struct Blas;
template <>
struct Blas<float> {
  static constexpr auto* potrf = spotrf_;
  static constexpr auto* trtri = strtri_;
  static constexpr auto* lauum = slauum_;
  static constexpr auto* gemm = cblas_sgemm;
  static constexpr auto* trsm = cblas_strsm;
  static constexpr auto* trmm = cblas_strmm;
};
template <>
struct Blas<double> {
  static constexpr auto* potrf = dpotrf_;
  static constexpr auto* trtri = dtrtri_;
  static constexpr auto* lauum = dlauum_;
  static constexpr auto* gemm = cblas_dgemm;
  static constexpr auto* trsm = cblas_dtrsm;
  static constexpr auto* trmm = cblas_dtrmm;
};

constexpr std::size_t tile = 256;

// Threads are the pool's alone.
void keep_blas_on_one_thread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

// Tiles (row, column) of the lower triangle.
template <class Number>
class Tiles {
 public:
  Tiles(std::span<Number> matrix, std::size_t order)
      : matrix_(matrix), order_(order), lead_(static_cast<int>(order)) {}

  [[nodiscard]] std::size_t count() const { return (order_ + tile - 1) / tile; }
  [[nodiscard]] int size(std::size_t t) const {
    return static_cast<int>(std::min(tile, order_ - t * tile));
  }
  [[nodiscard]] Number* at(std::size_t row, std::size_t column) const {
    return matrix_.data() + column * tile * order_ + row * tile;
  }
  [[nodiscard]] int lead() const { return lead_; }

  // c += factor op(a) op(b), tiles given by (row, column).
  struct Place {
    std::size_t row, column;
  };
  void multiply(Number factor, CBLAS_TRANSPOSE turn_a, Place a, CBLAS_TRANSPOSE turn_b, Place b,
                Place c) const {
    const int inner = turn_a == CblasNoTrans ? size(a.column) : size(a.row);
    Blas<Number>::gemm(CblasColMajor, turn_a, turn_b, size(c.row), size(c.column), inner, factor,
                       at(a.row, a.column), lead_, at(b.row, b.column), lead_, Number{1},
                       at(c.row, c.column), lead_);
  }
  // b = factor b triangle^-1 (right) or factor triangle^-1 b (left), of the tile (t, t).
  void solve(CBLAS_SIDE side, CBLAS_TRANSPOSE turn, Number factor, std::size_t t, Place b) const {
    Blas<Number>::trsm(CblasColMajor, side, CblasLower, turn, CblasNonUnit, size(b.row),
                       size(b.column), factor, at(t, t), lead_, at(b.row, b.column), lead_);
  }

 private:
  std::span<Number> matrix_;
  std::size_t order_;
  int lead_;
};

void check(int info) {
  if (info == 0) return;
  throw Error(ErrorCode::bad_input,
              "the weights between items cannot be computed from these ratings", {},
              "a larger lambda makes the equations solvable");
}

// Pairs (row, column), column <= row, of the square below tile k: the n-th of them.
std::pair<std::size_t, std::size_t> pair_at(std::size_t n) {
  std::size_t row = 0;
  while ((row + 1) * (row + 2) / 2 <= n) ++row;
  return {row, n - row * (row + 1) / 2};
}

template <class Number>
class Inversion {
 public:
  Inversion(std::span<Number> matrix, std::size_t order, const FitResources& resources)
      : tiles_(matrix, order), count_(tiles_.count()), resources_(resources) {}

  void run() {
    keep_blas_on_one_thread();
    factorise();
    invert_factor();
    multiply_factors();
  }

 private:
  template <class Work>
  void each(std::size_t count, const Work& work) const {
    resources_.pool.for_chunks(count, 1, [&](std::size_t n, std::size_t, unsigned) { work(n); });
  }
  // Each of the three passes is a third of the work, nearly.
  void step(std::size_t pass, std::size_t k) const {
    if (!resources_.progress) return;
    if (!resources_.progress("weights", pass * count_ + k + 1, 3 * count_)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }

  // A = L L^T
  void factorise() const {
    for (std::size_t k = 0; k < count_; ++k) {
      const int n = tiles_.size(k);
      const int lead = tiles_.lead();
      int info = 0;
      Blas<Number>::potrf("L", &n, tiles_.at(k, k), &lead, &info);
      check(info);
      const std::size_t below = count_ - k - 1;
      each(below, [&](std::size_t r) {
        tiles_.solve(CblasRight, CblasTrans, 1.0, k, {k + 1 + r, k});
      });
      each(below * (below + 1) / 2, [&](std::size_t n_pair) {
        const auto [row, column] = pair_at(n_pair);
        tiles_.multiply(-1.0, CblasNoTrans, {k + 1 + row, k}, CblasTrans, {k + 1 + column, k},
                        {k + 1 + row, k + 1 + column});
      });
      step(0, k);
    }
  }

  // L becomes L^-1.
  void invert_factor() const {
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t below = count_ - k - 1;
      each(below, [&](std::size_t r) {
        tiles_.solve(CblasRight, CblasNoTrans, -1.0, k, {k + 1 + r, k});
      });
      each(below * k, [&](std::size_t n) {
        const std::size_t row = k + 1 + n / k;
        const std::size_t column = n % k;
        tiles_.multiply(1.0, CblasNoTrans, {row, k}, CblasNoTrans, {k, column}, {row, column});
      });
      each(k, [&](std::size_t c) { tiles_.solve(CblasLeft, CblasNoTrans, 1.0, k, {k, c}); });
      const int n = tiles_.size(k);
      const int lead = tiles_.lead();
      int info = 0;
      Blas<Number>::trtri("L", "N", &n, tiles_.at(k, k), &lead, &info);
      check(info);
      step(1, k);
    }
  }

  // L^-1 becomes the lower triangle of L^-T L^-1.
  void multiply_factors() const {
    for (std::size_t k = 0; k < count_; ++k) {
      each(k * (k + 1) / 2, [&](std::size_t n) {
        const auto [row, column] = pair_at(n);
        tiles_.multiply(1.0, CblasTrans, {k, row}, CblasNoTrans, {k, column}, {row, column});
      });
      each(k, [&](std::size_t c) {
        Blas<Number>::trmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit,
                           tiles_.size(k), tiles_.size(c), Number{1}, tiles_.at(k, k),
                           tiles_.lead(), tiles_.at(k, c), tiles_.lead());
      });
      const int n = tiles_.size(k);
      const int lead = tiles_.lead();
      int info = 0;
      Blas<Number>::lauum("L", &n, tiles_.at(k, k), &lead, &info);
      check(info);
      step(2, k);
    }
  }

  Tiles<Number> tiles_;
  std::size_t count_;
  const FitResources& resources_;
};

}  // namespace

void invert_spd(std::span<float> matrix, std::size_t order, const FitResources& resources) {
  Inversion<float>(matrix, order, resources).run();
}

void invert_spd(std::span<double> matrix, std::size_t order, const FitResources& resources) {
  Inversion<double>(matrix, order, resources).run();
}

}  // namespace palate
