// The state that a live model begins with.
#pragma once

#include <memory>

#include "core/recommender.hpp"
#include "live/state.hpp"

namespace palate::live {

/// What the states of a live model share. A graph of the strongest links alone is no foundation of
/// links: which these are may change with every rating.
[[nodiscard]] std::shared_ptr<const Base> make_base(const Ratings& ratings,
                                                    const Recommender& fitted);

/// Everything but totals, preference and links.
[[nodiscard]] State first_state(std::shared_ptr<const Base> base);

}  // namespace palate::live
