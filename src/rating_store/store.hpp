// The rating store over either database.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "palate/rating_store.hpp"

namespace palate::store {

struct StoreTuning {
  /// How many deletions followers can still learn of one by one.
  std::size_t kept_departures = 100'000;
};

[[nodiscard]] std::unique_ptr<RatingStore> open_store(const std::string& where, StoreTuning tuning);

// What is refused, before anything reaches a database (store_checks.cpp).

/// Throws Error{bad_input} for no, too many, repeated or unnamed criteria and for a scale that is
/// no scale.
void check_criteria(std::span<const Criterion> criteria);

/// check_write() for each, with its number where there are several.
void check_writes(std::span<const StoreWrite> writes, std::span<const Criterion> criteria);

[[nodiscard]] std::int64_t now_seconds();

}  // namespace palate::store
