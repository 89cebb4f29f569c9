// First orders in whole numbers, for a first look at everything: half as many bytes as floats, two
// filters in one word, and bounds that hold.
//
// Of each filter an entry P_f[j, i] is coded as q = ceil(P_f[j, i] u_i), and what someone's rating
// adds to it, X_j = a_1 x_j, as k = ceil(X_j v), with u of the item and v of the person such that
// codes are large. The diagonal is larger than all else and may be cut off: codes say nothing of
// what someone rated themselves. With no X_j below 0, sum_j k_j q_j is no lower than u v times the
// first order, and as X_j v > k_j - 1 and P_f u > q - 1, it is higher by at most
//
//   sum_j (k_j + q_j)  <=  sum_j k_j + (sum_j k_j q_j) / (least k_j).
//
// Items that may be in a list by these bounds are few; their first orders are computed from floats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ranking/dense_graphs.hpp"

namespace palate {

/// What a sum of codes says for one person: the first order of item i lies between unit *
/// item_unit(i) * (sum * (1 - rate) - down) and unit * item_unit(i) * (sum + up).
struct CodedPerson {
  float unit = 1;
  float up = 0;
  float rate = 0;
  float down = 0;
};

class DenseCodes {
 public:
  /// Of the first orders of some branches.
  DenseCodes(const DenseGraphs& graphs, std::span<const std::size_t> branches);

  /// Filters go in twos: how many.
  [[nodiscard]] std::size_t pairs() const noexcept { return pairs_.size(); }
  /// By place; a strip more than there are, as strips come in twos.
  [[nodiscard]] std::span<const float> item_unit() const noexcept { return item_unit_; }
  /// A strip of 32 columns, those of `block` and the next: stride() rows.
  void lay(std::size_t pair, std::size_t block, std::uint32_t* strip) const;
  /// Of 32 such strips, those from `first` on, the largest entries of each row: a strip of bounds.
  /// All pairs, one after the other, and the unit of each strip, in place of item_unit().
  void lay_bounds(std::size_t first, std::uint32_t* strips, float* units) const;
  /// Codes of someone's signal, out[pair][k] for its k-th entry.
  CodedPerson encode(const PlacedSignal& signal, std::span<std::uint32_t* const> out) const;

 private:
  struct Coded {
    std::size_t branch = 0;
    double size = 1;  // of its entries, typically: codes are of what they are beside it
  };
  struct Pair {
    Coded low, high;
    bool both = false;
  };
  template <class Visit>
  void for_each(const Visit& visit) const;
  void bound_strip(std::size_t strip, std::uint32_t* strips, float* unit) const;

  const DenseGraphs& graphs_;
  std::vector<Pair> pairs_;
  std::vector<float> item_unit_;  // 1 / u
};

}  // namespace palate
