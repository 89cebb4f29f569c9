// Ratings on one criterion as a sparse matrix, with people and items scaled by powers of their
// sums: Rn = (D_U + c)^-a R (D_I + c)^-b, where a sum of 0 gives 0.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// How ratings become the numbers of R.
struct GraphInput {
  enum class Values { raw, binary };
  Values values = Values::raw;
  double least = 0;  ///< ratings below it do not count

  /// 0 where it does not count.
  [[nodiscard]] double of(float rating) const noexcept {
    const auto value = static_cast<double>(rating);
    if (value < least) return 0;
    return values == Values::binary ? 1.0 : value;
  }
};

/// A matrix by rows.
template <class Number>
struct SparseRows {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> columns;
  std::vector<Number> values;

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.size() - 1; }
};

/// Rows of a block stand side by side, as products read them.
using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// y = m x; each row by one thread, in order of its columns.
[[nodiscard]] Block multiply(const SparseRows<double>& m, const Block& x, ThreadPool& pool);

struct Normalization {
  double user_power = 0.5;  ///< a
  double item_power = 0.5;  ///< b
  double added = 0;         ///< c
};

struct NormalizedMatrix {
  SparseRows<double> by_user, by_item;
  std::vector<double> user_sums, item_sums;

  [[nodiscard]] std::size_t users() const noexcept { return user_sums.size(); }
  [[nodiscard]] std::size_t items() const noexcept { return item_sums.size(); }
  /// P x
  [[nodiscard]] Block smooth(const Block& x, ThreadPool& pool) const {
    return multiply(by_item, multiply(by_user, x, pool), pool);
  }
};

/// The weight of a person's k-th rating in R, which its value is multiplied by.
using RatingWeight = std::function<double(const UserRatings& row, std::size_t k)>;

[[nodiscard]] NormalizedMatrix normalized(const Ratings& ratings, std::size_t criterion,
                                          const GraphInput& input, const Normalization& by = {},
                                          const RatingWeight& weight = {});

/// x^power, and 0 where x is 0.
[[nodiscard]] std::vector<double> powers(std::span<const double> x, double power, double added = 0);

}  // namespace palate
