// CA-GF's settings laid over the criteria of a data set: what is computed, variant by variant.
#pragma once

#include <span>

#include "graph/filter_plan.hpp"
#include "palate/model.hpp"

namespace palate {

/// Throws Error{usage} for unknown criteria, empty coefficient lists and powers that are not
/// positive.
[[nodiscard]] FilterPlan plan_ca_gf(const CaGf& settings, std::span<const Criterion> criteria);

}  // namespace palate
