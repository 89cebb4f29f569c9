// What was done to the store, noted in the transaction that does it.
#pragma once

#include <string_view>

#include "palate/audit_log.hpp"
#include "rating_store/sql.hpp"

namespace palate::store {

/// Adds an event, and forgets those of its kind that are too old to be kept. `event` has to be one
/// of a few words, as so many are kept of each. Throws Error{usage} for a detail that is none.
void note_event(Session& db, std::string_view event, const Actor& by, std::string_view detail);

}  // namespace palate::store
