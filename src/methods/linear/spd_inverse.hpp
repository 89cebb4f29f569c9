// The inverse of a symmetric positive definite matrix, in tiles.
#pragma once

#include <cstddef>
#include <span>

#include "core/fit_resources.hpp"

namespace palate {

/// `matrix` is order x order, column after column; its lower triangle is read and becomes that of
/// the inverse; what stands above the diagonal is not read and may change. Throws Error{bad_input}
/// if the matrix is not positive definite.
///
/// Cholesky's A = L L^T, then L^-1, then A^-1 = L^-T L^-1, each tile by tile. Tiles are spread over
/// the pool, so that the result is the same to the bit with any number of threads, progress is
/// told, and the work can be stopped between tiles.
void invert_spd(std::span<float> matrix, std::size_t order, const FitResources& resources);
void invert_spd(std::span<double> matrix, std::size_t order, const FitResources& resources);

}  // namespace palate
