// The graphs of a plan where most items are linked to many others, and what is known of someone on
// them.
//
// Second orders are never formed as matrices. With y = x P_f and p_i row i of P_f, the second-order
// score of item i is y p_i. For an orthonormal Z (graph/subspace.hpp), W = P_f Z and the primes
// being the parts outside Z,
//
//   y p_i = (y Z)(Z^T p_i) + y' p_i',   y Z = x W,   Z^T p_i = W_i,   |y' p_i'| <= |y'| |p_i'|.
//
// The fast solver keeps the first term and drops the second. The exact solver takes the bound as a
// radius around the estimate, and computes y p_i itself for those items alone that may be in the
// list: it is then the exact list, whatever Z is. A good Z only makes these items few.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ranking/packed_graphs.hpp"

namespace palate {

struct DenseGraphs : PackedGraphs {
  std::vector<Subspace> subspaces;  ///< one per (graph, power); empty without a second order
  bool exact = true;

  // From here on: derived by prepare().
  std::vector<std::vector<float>> scale;  ///< one per (graph, power): d_i^(-s/2)
  std::vector<std::size_t> first;         ///< branches with a first order
  std::vector<std::size_t> second;        ///< branches with a second order, none higher
  bool higher = false;                    ///< whether some branch is of order above two
  /// The directions of all second branches one after the other: how many, where those of each
  /// begin, and W by block of 16 items, in a block direction by direction.
  std::size_t directions = 0;
  std::vector<std::size_t> direction_of;
  std::vector<float> coordinates;
  /// Of each second branch, by place, stride() floats: what of a row lies outside, and its length.
  std::vector<float> outside, lengths;
  std::vector<float> longest;  ///< by block: the longest row of W over all second branches

  void prepare();
  void save(Parts& parts) const;
  [[nodiscard]] GraphSize size() const noexcept;

  [[nodiscard]] std::size_t blocks() const noexcept { return graphs[0].blocks(); }
  [[nodiscard]] std::size_t stride() const noexcept { return graphs[0].stride(); }
  [[nodiscard]] const Branch& branch(std::size_t b) const noexcept { return plan->branches[b]; }
  [[nodiscard]] const DenseGraph& graph(const Branch& b) const noexcept { return graphs[b.graph]; }
  [[nodiscard]] float power(const Branch& b) const noexcept {
    return static_cast<float>(plan->powers[b.values].power);
  }
  [[nodiscard]] const Subspace& subspace(const Branch& b) const noexcept {
    return subspaces[b.values];
  }
  /// Row i of P_f without its own factor scale[i]; stride() floats.
  void unpack(const Branch& b, std::size_t place, float* row) const {
    kernels::unpack_power(graph(b).row(place), blocks(), graph(b).shift(), power(b), row);
  }
};

/// Which of graphs.second a branch is, or how many there are.
[[nodiscard]] std::size_t second_of(const DenseGraphs& graphs, std::size_t branch);

/// Someone's signal in places, the most popular first.
struct PlacedSignal {
  std::vector<std::uint32_t> places;
  std::vector<std::uint32_t> seen;    ///< places of what they rated overall
  std::vector<std::vector<float>> x;  ///< per branch
  std::vector<float> z;               ///< by direction: a_2 x W

  void set(const DenseGraphs& graphs, const Signal& signal);

 private:
  std::vector<std::uint64_t> sorted_;  // place, and in the lower half the position
};

/// first[c] = sum of a_1 y over the branches with a first order, y holding 16 floats of each.
void first_of_block(const DenseGraphs& graphs, std::span<const float* const> y, float* first);
/// estimate[c] += sum of z W over the branches with a second.
void add_second_of_block(const DenseGraphs& graphs, std::size_t block, const float* z,
                         float* estimate);

/// How the long dots of second orders are added up, so that whoever does it the same way gets the
/// same bits: strips_per_dot strips as one sum of floats, these in double over a slice of all
/// strips, and then the slices.
inline constexpr std::size_t strips_per_dot = 8;
inline constexpr std::size_t dot_slices = 8;
struct Slice {
  std::size_t begin, end;
};
[[nodiscard]] Slice dot_slice(std::size_t slice, std::size_t strips);

/// row . y over `size` floats, whole strips.
[[nodiscard]] double row_dot(const float* row, const float* y, std::size_t size);
/// The same, to the bit, for a power of a packed row.
[[nodiscard]] double row_dot(kernels::PackedRow row, std::size_t blocks, const float* shift,
                             float power, const float* y);

/// The second order of the m-th second branch at one place: from the dot of y and row p_i without
/// its own factor, and as the directions estimate it.
[[nodiscard]] double second_order_of(const DenseGraphs& graphs, std::size_t m, std::size_t place,
                                     double dot);
[[nodiscard]] double estimated_second_order(const DenseGraphs& graphs, std::size_t m,
                                            std::size_t place, const float* z);

/// How far a second order may lie from its estimate: outside * subspace.outside[i] + slack *
/// subspace.lengths[i], for one person and one branch.
struct Radius {
  float outside = 0;
  float slack = 0;
};
/// Of the m-th second branch, for someone with so many ratings; `square`: |y|^2; z: by direction,
/// a_2 x W.
[[nodiscard]] Radius radius_of(const DenseGraphs& graphs, std::size_t m, std::size_t ratings,
                               double square, const float* z);
/// Of all second branches, at one place.
[[nodiscard]] float radius_at(const DenseGraphs& graphs, std::span<const Radius> radii,
                              std::size_t place);

}  // namespace palate
