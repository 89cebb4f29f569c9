// Does a column hold ratings? By what stands in it, and by its name where that says no.
#pragma once

#include <string>

#include "io/column_sample.hpp"
#include "io/row_reader.hpp"

namespace palate::io {

/// What is known of the table when a column is judged; pointers may be null.
struct RatingContext {
  const ColumnSample* user = nullptr;
  const ColumnSample* item = nullptr;
  float overall_top = 5;  ///< the top of the overall rating's scale
  bool overall_zeros = false;
};

/// Why the column is not taken for ratings, in a few words; empty if it is.
[[nodiscard]] std::string why_no_rating(const Column& column, const ColumnSample& sample,
                                        const RatingContext& context);

/// Whether it would hold ratings but for many cells that are no numbers.
[[nodiscard]] bool spoilt_rating(const ColumnSample& sample);

}  // namespace palate::io
