#include "methods/spectral/spectral_recommender.hpp"

namespace palate {

Block apply(const Polynomial& polynomial, const NormalizedMatrix& matrix, const Block& x,
            ThreadPool& pool) {
  const std::vector<double>& c = polynomial.coefficients;
  const bool chebyshev = polynomial.basis == Polynomial::Basis::chebyshev;
  Block out = Block::Zero(x.rows(), x.cols());
  Block before;
  Block now = x;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (k > 0) {
      Block next = matrix.smooth(now, pool);
      if (chebyshev) {
        next = now - 2 * next;
        if (k > 1) next = 2 * next - before;
      }
      before = std::move(now);
      now = std::move(next);
    }
    out += c[k] * now;
  }
  return out;
}

}  // namespace palate
