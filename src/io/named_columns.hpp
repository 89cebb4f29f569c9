// Columns that the caller names, and those of the second file, with item titles.
#pragma once

#include <string>
#include <vector>

#include "io/open_table.hpp"
#include "palate/io.hpp"

namespace palate::io {

/// The column of the highest fit above 0; -1 if there is none.
template <class Fit>
int best_of(const std::vector<Column>& columns, const Fit& fit) {
  int found = -1;
  int found_fit = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int here = fit(k);
    if (here > found_fit) {
      found = static_cast<int>(k);
      found_fit = here;
    }
  }
  return found;
}

/// The column of this name. Throws Error{usage} that lists the columns there are and says which
/// `option` asked.
[[nodiscard]] int find_named(const Table& table, const std::string& wanted,
                             const std::string& option);

struct ItemColumns {
  int id = -1;
  int title = -1;
};

/// For the second file, with item titles.
[[nodiscard]] ItemColumns plan_item_columns(const Table& table, const ReadOptions& options);

/// The names of the columns for a message: "user, beer, taste".
[[nodiscard]] std::string listed(const std::vector<Column>& columns);

}  // namespace palate::io
