// How much each person weighs each criterion.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/array.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// X[u,c] = sum of u's ratings on c; Xn = X with rows divided by their sums; T = Xn^T Xn; Tb = T
/// with every entry raised to the power s_T. The preference of a person with share row x is x Tb,
/// whether they were among the users or not. Without a power, everybody weighs every criterion 1.
class CriteriaPreference {
 public:
  explicit CriteriaPreference(std::size_t criteria) : criteria_(criteria) {}
  CriteriaPreference(std::size_t criteria, Array<double> adjusted)
      : criteria_(criteria), adjusted_(std::move(adjusted)) {}
  /// Throws Error{usage} if the power makes the weights overflow.
  [[nodiscard]] static CriteriaPreference fit(const Ratings& ratings, std::optional<double> power);

  /// From T, row by row. Throws as fit.
  [[nodiscard]] static CriteriaPreference from_sums(std::size_t criteria, std::vector<double> t,
                                                    double power);
  /// A person's row of Xn: shares of their rating sums by criterion; all 0 without ratings.
  static void shares(const UserRatings& ratings, std::span<double> share);

  /// One weight per criterion.
  void of(const UserRatings& ratings, std::span<double> weights) const;

  /// Tb, row by row; empty without a power.
  [[nodiscard]] const Array<double>& adjusted() const noexcept { return adjusted_; }

 private:
  std::size_t criteria_;
  Array<double> adjusted_;
};

}  // namespace palate
