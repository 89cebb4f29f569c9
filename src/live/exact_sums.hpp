// N_ij = sum over users u and the criteria c of a graph of r_uci r_ucj / d_uc, kept for change.
//
// Sums are in double, and beside each stands how many users are in it. A link without users is
// gone, whatever rounding has left of its sum; a sum that falls to a small part of what it was is
// added up anew. So a sum stays right to many digits however often its parts change.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "live/state.hpp"

namespace palate::live {

/// Someone's ratings on the criteria of one graph: places ascending, and per place one value
/// r_uci / sqrt(d_uc) for each criterion, so that a product of two is what the user adds to N.
struct ScaledRow {
  std::vector<std::uint32_t> places;
  std::vector<double> values;
};
[[nodiscard]] ScaledRow scale_row(const State& state, const UserRatings& ratings,
                                  CriterionSet criteria);

/// A changed entry of N: 0 is no link.
struct PairEdit {
  std::uint32_t row = 0, column = 0;
  float before = 0, after = 0;
};

struct PairSum {
  double sum = 0;
  std::uint32_t users = 0;
};

class ExactSums {
 public:
  /// The upper triangle, diagonal included.
  struct Row {
    std::vector<std::uint32_t> columns;
    std::vector<PairSum> sums;
  };

  ExactSums(const State& state, CriterionSet criteria, ThreadPool& pool);

  void grow(std::size_t places) { rows_.resize(places); }
  [[nodiscard]] const std::vector<Row>& rows() const noexcept { return rows_; }

  /// One user's ratings change. `resum` adds up one pair over all users as they are afterwards. The
  /// changed entries are added to `edits`, both triangles, row by row.
  using Resum = std::function<PairSum(std::uint32_t, std::uint32_t)>;
  void change(const ScaledRow& before, const ScaledRow& after, const Resum& resum,
              std::vector<PairEdit>& edits);

 private:
  struct Pair {
    float before = 0, after = 0;
  };
  struct Parts;  // what a user adds to N, before and after
  void change_row(const Parts& parts, std::size_t a, const Resum& resum, Pair* out);

  std::vector<Row> rows_;
  std::size_t width_;
};

}  // namespace palate::live
