// The state that a live model begins with.
#pragma once

#include <memory>

#include "live/state.hpp"
#include "methods/ca_gf/ca_gf.hpp"

namespace palate::live {

/// What the states of a live model share. Throws Error{unsupported} if the graph of the model has
/// only the strongest links.
[[nodiscard]] std::shared_ptr<const Base> make_base(const Ratings& ratings,
                                                    const CaGfRecommender& fitted);

/// Everything but totals, preference and links.
[[nodiscard]] State first_state(std::shared_ptr<const Base> base);

}  // namespace palate::live
