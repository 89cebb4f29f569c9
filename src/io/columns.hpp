// Which column is what: named by the caller, or guessed from names and the first rows.
#pragma once

#include <string>
#include <vector>

#include "io/open_table.hpp"
#include "io/rating_rule.hpp"
#include "palate/io.hpp"
#include "palate/ratings.hpp"

namespace palate::io {

struct ColumnPlan {
  int user = -1;
  int item = -1;
  int time = -1;
  int title = -1;
  std::vector<int> ratings;           ///< column per criterion, overall first; -1: not in the file
  std::vector<std::string> criteria;  ///< names, overall first
  std::vector<float> highest;         ///< per criterion; what is above is an outlier
  std::vector<IgnoredColumn> ignored;
  std::string within_pairs;  ///< a column that tells rows of one (user, item) pair apart
  bool guessed = false;
  std::vector<std::string> advice;
  std::vector<std::string> notes;
};

/// Throws Error{usage} for a name that does not exist, Error{bad_input} if a needed column cannot
/// be found. With `like`, the criteria are those of `like`, found by name.
[[nodiscard]] ColumnPlan plan_columns(Table& table, const ReadOptions& options,
                                      const RatingRule& rule, const Ratings* like);

}  // namespace palate::io
