// What the first rows show about each column.
#pragma once

#include <cstddef>
#include <vector>

#include "io/rating_rule.hpp"
#include "io/row_reader.hpp"

namespace palate::io {

struct ColumnSample {
  std::size_t numbers = 0;    ///< usable as a rating, a literal 0 included
  std::size_t minus_one = 0;  ///< the usual sentinel for "not rated"
  std::size_t other = 0;      ///< text, or numbers that cannot be ratings
  std::size_t times = 0;      ///< could be a point in time, and is not a small number
  float max = 0;              ///< of the numbers
  bool halves = true;         ///< all numbers are multiples of a half
  bool counts_up = true;      ///< every number is its predecessor plus one
  float last = 0;

  [[nodiscard]] bool numeric() const noexcept { return numbers > 0 && other == 0; }
};

inline constexpr std::size_t sample_rows = 1000;

/// Reads up to `sample_rows` rows and rewinds.
[[nodiscard]] std::vector<ColumnSample> sample_columns(RowReader& rows, const RatingRule& rule);

/// Whether the numbers look like ratings rather than ids, counts or measures. `overall_max` is the
/// top of the overall rating's scale.
[[nodiscard]] bool looks_like_rating(const ColumnSample& sample, float overall_max,
                                     bool declared_float);

/// Whether rows of one item agree on the title. A "title" is often that of the review.
[[nodiscard]] bool title_belongs_to_item(RowReader& rows, int item, int title);

}  // namespace palate::io
