// The library's results as JSON. The shapes are documented in docs/command-reference.md.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "palate/palate.hpp"
#include "session.hpp"

namespace palate::cli {

using Json = nlohmann::ordered_json;

/// A float as the shortest decimal that names it, so that 0.1f prints as 0.1.
[[nodiscard]] double decimal(float value);

[[nodiscard]] Json to_json(const ImportReport& report);
[[nodiscard]] Json to_json(const Ratings& ratings);
[[nodiscard]] Json to_json(const ModelInfo& info);
/// "solver", "storage" and "why": how the model computes.
[[nodiscard]] Json engine_json(const ModelInfo& info);
[[nodiscard]] Json to_json(const Choice& choice);
[[nodiscard]] Json to_json(const Explanation& explanation);
[[nodiscard]] Json to_json(const Difference& difference);
[[nodiscard]] Json to_json(const Stages& stages);
[[nodiscard]] Json to_json(const Recommendations& list);
/// Metrics at the top level, then users and relevance.
[[nodiscard]] Json to_json(const Evaluation& evaluation);
/// ModelInfo::settings parsed.
[[nodiscard]] Json settings_json(const Model& model);

[[nodiscard]] std::string dump(const Json& document, int indent = 2);
void print_json(Session& session, const Json& document);

}  // namespace palate::cli
