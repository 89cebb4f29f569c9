// N_ij = sum over users u and the criteria c of a graph of r_uci r_ucj / d_uc, kept for change.
//
// The sums of a row are taken from its logarithms when it first changes; from then on, what a
// logarithm in single precision leaves out of its sum is kept beside it, which takes a third of
// what the sums themselves would. What was left out at first is a small part of a sum; where a sum
// falls to a sixteenth of the largest that it was, or an eighth, that part may have become large
// beside it, and it is added up anew over all who rated both items. So a sum stays right to six
// digits however often its parts change, and a link that nobody adds to any more is gone.
#pragma once

#include <span>
#include <vector>

#include "live/row_memory.hpp"
#include "live/rows.hpp"
#include "live/state.hpp"

namespace palate::live {

/// Someone's ratings on the criteria of one graph: places ascending, and for each criterion in turn
/// one value r_uci / sqrt(d_uc) per place, so that a product of two is what the user adds to N.
struct ScaledRow {
  std::vector<std::uint32_t> places;
  std::vector<double> values;
};
[[nodiscard]] ScaledRow scale_row(const Base& base, const UserRatings& ratings,
                                  CriterionSet criteria);

/// out[k] = what a user adds to N for the places `a` and k of their row.
void pairs_of(const ScaledRow& row, std::size_t a, std::span<double> out);

/// What changes in N when one user's ratings do.
class UserChange {
 public:
  UserChange(const Base& base, const UserRatings& before, const UserRatings& after,
             CriterionSet criteria);

  /// Of their ratings before and after, ascending.
  [[nodiscard]] std::span<const std::uint32_t> places() const noexcept { return after_.places; }
  /// Whether anything changes for this graph.
  [[nodiscard]] bool any() const noexcept { return before_.values != after_.values; }
  /// out[k] = the change of N at places()[a] and places()[k].
  void changes_of(std::size_t a, std::vector<double>& out) const;

 private:
  ScaledRow before_, after_;  // of the same places; 0 where they have not rated
  mutable std::vector<double> less_;
};

/// Of one row: columns ascending, and the change of each sum.
struct RowChange {
  std::vector<std::uint32_t> columns;
  std::vector<double> changes;
};

class ExactSums {
 public:
  explicit ExactSums(CriterionSet criteria) : criteria_(criteria) {}

  /// A copy of `old`, the row of `place`, with some sums changed; `edits` says how. `seen` has the
  /// ratings as they are after all changes, of which these are a part.
  [[nodiscard]] Row change(const State& seen, std::uint32_t place, const Row& old,
                           const RowChange& change, RowMemory& memory,
                           std::vector<PairEdit>& edits);

 private:
  struct Sums {                        // link by link, as the row
    std::vector<float> rest;           // of the sum, beside what the row's logarithm says
    std::vector<std::int8_t> largest;  // 2^this is above all that the sum was
    bool kept = false;
  };
  static void take(const Row& row, Sums& out);
  [[nodiscard]] Sums carried(const Sums& old, const Row& next,
                             std::span<const PairEdit> edits) const;
  [[nodiscard]] double add_up(const State& seen, std::uint32_t a, std::uint32_t b) const;

  CriterionSet criteria_;
  std::vector<Sums> rows_;  // by place, as far as they have changed
  // Of the edits of the row at hand.
  std::vector<LinkPosition> positions_;
  std::vector<double> sums_;
};

}  // namespace palate::live
