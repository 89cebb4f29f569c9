// Options of the command line that say which method with which settings. They come from the
// library's descriptions of the methods; what they mean is decided there (palate::resolve).
#pragma once

#include <optional>
#include <string>

#include "choice.hpp"
#include "command.hpp"
#include "palate/palate.hpp"

namespace palate::cli {

struct MethodOptions {
  std::optional<std::string> method;
  std::vector<std::pair<std::string, std::string>> settings = {};

  /// Whether anything was asked for.
  [[nodiscard]] bool any() const { return method || !settings.empty(); }
  [[nodiscard]] MethodRequest request() const;
};

/// Which method, its settings, and --memory.
void add_method_options(Command& command, MethodOptions& options, CommonOptions& common);
/// --memory alone, for commands that fit.
void add_memory_option(Command& command, CommonOptions& common);

/// Makes settings of a request; says so where that means choosing them on the ratings.
[[nodiscard]] Resolved settle(Session& session, const MethodRequest& request, const Ratings& train,
                              const ChooseOptions& choose, std::optional<Choice>* cache = nullptr);
/// For a command that keeps the settings: Ctrl-C takes the best so far. Commands that measure go
/// without, as a figure of half-found settings could not be had again.
[[nodiscard]] ChooseOptions until_interrupted(Session& session, ChooseOptions choose);

/// What a setting accepts, in a word: "N", "a|b|c".
[[nodiscard]] std::string value_text(const Setting& setting);

/// The settings in words, one line per criterion.
[[nodiscard]] std::string settings_text(const Session& session, const Model& model);
/// The same as lines "setting  value", for any method.
[[nodiscard]] std::string settings_text(const Method& method);
/// How the model computes and why so, one line: "dense graph, exact solver: ...". Empty for methods
/// without filters.
[[nodiscard]] std::string engine_text(const ModelInfo& info);

/// What the ridge of adaptive lets through, one line; empty for other methods.
[[nodiscard]] std::string response_text(const ModelInfo& info);

}  // namespace palate::cli
