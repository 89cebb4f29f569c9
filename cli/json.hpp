// The library's results as JSON. The shapes are documented in docs/command-reference.md.
#pragma once

#include "palate/palate.hpp"
#include "server/service/choice_json.hpp"
#include "server/service/dials_json.hpp"
#include "server/service/importer.hpp"
#include "server/service/prediction_json.hpp"
#include "session.hpp"

namespace palate::cli {

using server::decimal;
using server::Json;
using server::to_json;

[[nodiscard]] Json to_json(const ModelInfo& info);
/// "solver", "storage" and "why": how the model computes.
[[nodiscard]] Json engine_json(const ModelInfo& info);
[[nodiscard]] Json to_json(const Explanation& explanation, std::span<const Criterion> criteria);
[[nodiscard]] Json to_json(const Difference& difference);
[[nodiscard]] Json to_json(const Stages& stages);
[[nodiscard]] Json to_json(const Recommendations& list, std::span<const Criterion> criteria);
/// Metrics at the top level, then users and relevance.
[[nodiscard]] Json to_json(const Evaluation& evaluation);
/// ModelInfo::settings parsed.
[[nodiscard]] Json settings_json(const Model& model);

[[nodiscard]] std::string dump(const Json& document, int indent = 2);
void print_json(Session& session, const Json& document);

}  // namespace palate::cli
