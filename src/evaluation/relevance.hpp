// Which test ratings count as liked.
#pragma once

#include <string>

#include "palate/evaluation.hpp"
#include "palate/ratings.hpp"

namespace palate {

/// The rule in words, as reports print it: "overall >= 3". Throws as relevant_interactions does.
[[nodiscard]] std::string relevance_text(const Ratings& train, const EvaluateOptions& options);

}  // namespace palate
