// What a Ratings object holds.
#pragma once

#include <memory>
#include <vector>

#include "core/array.hpp"
#include "core/parts.hpp"
#include "core/string_table.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// Who, what and by which criteria; shared by all parts of a split.
struct Catalogue {
  StringTable users;
  StringTable items;
  StringTable titles;  ///< one per item, or empty
  std::vector<Criterion> criteria;
};

/// Interactions ordered by user, then item (CSR).
struct Ratings::Data {
  std::shared_ptr<const Catalogue> catalogue;
  Array<std::uint64_t> offsets;  ///< users + 1
  Array<std::uint32_t> items;
  Array<float> values;  ///< criteria side by side, 0 where absent
  Array<std::uint32_t> present;
  Array<std::int64_t> times;  ///< or empty
};

void save_ratings(const Ratings& ratings, Parts& parts);
/// Throws Error{corrupt} unless every index is in bounds and every value finite.
[[nodiscard]] Ratings load_ratings(const Parts& parts, std::vector<Criterion> criteria);

}  // namespace palate
