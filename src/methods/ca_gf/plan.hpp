// CA-GF's settings laid over the criteria of a data set: what is computed, variant by variant.
#pragma once

#include <span>
#include <string_view>

#include "graph/filter_plan.hpp"
#include "palate/error.hpp"
#include "palate/method.hpp"

namespace palate {

/// Throws Error{usage} for unknown criteria, empty coefficient lists and powers that are not
/// positive.
[[nodiscard]] FilterPlan plan_ca_gf(const CaGf& settings, std::span<const Criterion> criteria);

/// Names those there are.
[[nodiscard]] Error unknown_criterion(std::string_view name, std::span<const Criterion> criteria);

}  // namespace palate
