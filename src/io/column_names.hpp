// What the name of a column says about what is below it, besides column_fit.
#pragma once

#include <string_view>

namespace palate::io {

/// Whether the name ends as that of an id does, whatever it is the id of: 0 not at all.
[[nodiscard]] int id_ending_fit(std::string_view name);

/// Whether the name says that the numbers below it are not ratings: ids, counts, prices, years.
[[nodiscard]] bool never_a_rating(std::string_view name);

}  // namespace palate::io
