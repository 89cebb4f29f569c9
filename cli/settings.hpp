// From options of the command line to the settings of a method.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "palate/palate.hpp"

namespace palate::cli {

struct MethodOptions {
  std::optional<std::string> method, preset, filters, variant, preference, solver;
  std::vector<std::string> filter;  ///< "criterion=outward:0.85"
  std::optional<std::size_t> neighbours;
  std::optional<double> shrink;

  /// Whether anything was asked for.
  [[nodiscard]] bool any() const;
};

void add_method_options(Command& command, MethodOptions& options);
/// --memory, for commands that fit.
void add_memory_option(Command& command, CommonOptions& common);

/// "ca-gf:mc", "ca-gf:preset=ym", "ca-gf:solver=fast", "item-knn:neighbours=50",
/// "ca-gf:filters=outward:0.85".
[[nodiscard]] MethodOptions parse_method(const std::string& text);

struct Settled {
  Method method;
  std::optional<Choice> choice;  ///< where the filters were chosen automatically
  std::string name;              ///< "ca-gf", "ca-gf:mc", ...
};

/// Makes settings of options; chooses filters on `train` if nothing says which. Throws for options
/// that do not go together rather than ignore one. `cache` keeps a choice for further methods on
/// the same ratings.
[[nodiscard]] Settled settle(Session& session, const MethodOptions& options, const Ratings& train,
                             const ChooseOptions& choose, std::optional<Choice>* cache = nullptr);

/// The settings in words, one line per criterion.
[[nodiscard]] std::string settings_text(const Session& session, const Model& model);
[[nodiscard]] std::string choice_text(const Choice& choice);
/// How the model computes and why so, one line: "dense graph, exact solver: ...". Empty for methods
/// without filters.
[[nodiscard]] std::string engine_text(const ModelInfo& info);

}  // namespace palate::cli
