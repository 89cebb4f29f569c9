// What some rows, spread over the whole table, show about each column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/rating_rule.hpp"
#include "io/row_reader.hpp"

namespace palate::io {

struct ColumnSample {
  std::size_t rows = 0;
  std::size_t filled = 0;     ///< neither empty nor a word for "not rated"
  std::size_t zeros = 0;      ///< that mean "not rated"
  std::size_t minus_one = 0;  ///< the usual sentinel for "not rated"
  std::size_t other = 0;      ///< text, or numbers that cannot be ratings
  std::size_t times = 0;      ///< could be a point in time, and is not a small number
  std::size_t fractions = 0;  ///< numbers that are no multiples of a half
  std::size_t steps = 0;      ///< numbers that follow a number,
  std::size_t steps_up = 0;   ///< those that are one more than it
  std::size_t reviews = 0;    ///< cells with the word "review"
  std::size_t bytes = 0;      ///< of all filled cells
  std::size_t distinct = 0;   ///< filled cells that differ
  std::string odd;            ///< the first of `other`
  std::vector<float> values;  ///< the ratings there would be, sorted
  /// Of each row's cell; 0 where it is not filled.
  std::vector<std::uint64_t> hashes;

  [[nodiscard]] std::size_t numbers() const noexcept { return values.size() + zeros; }
  /// Whether it is a column of numbers, an odd cell aside: one in twenty, or a single one.
  [[nodiscard]] bool numeric() const noexcept;
  /// Above it a number is an outlier: a slip of whoever typed it, not the top of the scale.
  [[nodiscard]] float limit() const noexcept;
  /// Whether the highest number is frequent and far from all others, as 99 for "no answer" is.
  [[nodiscard]] bool sentinel() const noexcept;
  /// The highest number that is no outlier; 0 without numbers.
  [[nodiscard]] float top() const noexcept;
};

/// Rows that are looked at, at most.
inline constexpr std::size_t sample_rows = 10'000;

/// Rewinds.
[[nodiscard]] std::vector<ColumnSample> sample_columns(RowReader& rows, std::uint64_t bytes,
                                                       const RatingRule& rule);

/// How often rows with the same key have another value than the first of them.
struct Agreement {
  std::size_t repeats = 0;
  std::size_t differ = 0;
};
[[nodiscard]] Agreement agreement(const ColumnSample& key, const ColumnSample& value);

/// Whether the cells are a few words that differ between the rows of one user and item: "aspect" in
/// a table with a row per user, item and criterion.
[[nodiscard]] bool tells_pairs_apart(const ColumnSample& user, const ColumnSample& item,
                                     const ColumnSample& cells);

}  // namespace palate::io
