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
  std::optional<std::string> method, preset, filters, variant, preference;
  std::vector<std::string> filter;  ///< "criterion=outward:0.85"
  std::optional<std::size_t> neighbours;
  std::optional<double> shrink;
};

void add_method_options(Command& command, MethodOptions& options);

/// "ca-gf:mc", "ca-gf:preset=ym", "item-knn:neighbours=50", "ca-gf:filters=outward:0.85".
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

}  // namespace palate::cli
