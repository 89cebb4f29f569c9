// Leading eigenvectors of a large symmetric matrix that is only known by its products.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>

#include "core/fit_resources.hpp"
#include "methods/spectral/normalized_matrix.hpp"

namespace palate {

struct LeadingPairs {
  Eigen::VectorXd values;   ///< falling
  Eigen::MatrixXd vectors;  ///< a column each
};

/// What finding them keeps in memory at most, in bytes.
[[nodiscard]] double leading_pairs_bytes(std::size_t order, std::size_t count);

/// Up to `count` eigenvectors of the largest positive eigenvalues of the symmetric matrix whose
/// product with a block is `apply`. Block Lanczos from a fixed start, every new block made
/// orthogonal to all before, until what the pairs leave over is small: the same on any number of
/// threads. Where the last values wanted are equal, which of their vectors are taken is arbitrary,
/// but always the same.
[[nodiscard]] LeadingPairs leading_pairs(std::size_t order, std::size_t count,
                                         const std::function<Block(const Block&)>& apply,
                                         const FitResources& resources);

/// The leading right singular vectors of Rn, and the squares of their singular values.
[[nodiscard]] LeadingPairs leading_directions(const NormalizedMatrix& matrix, std::size_t count,
                                              const FitResources& resources);

}  // namespace palate
