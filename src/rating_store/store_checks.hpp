// What a store refuses, before anything reaches a database.
#pragma once

#include <span>

#include "palate/rating_store.hpp"

namespace palate::store {

/// Throws Error{bad_input} for no, too many, repeated or unnamed criteria and for a scale that is
/// no scale.
void check_criteria(std::span<const Criterion> criteria);

/// check_write() for each, with its number where there are several.
void check_writes(std::span<const StoreWrite> writes, std::span<const Criterion> criteria);

}  // namespace palate::store
