// A list of recommendations as a person reads it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palate/palate.hpp"
#include "session.hpp"

namespace palate::cli {

/// Who asks what of which model.
struct Asking {
  const Model& model;
  RecommendOptions options;
  std::optional<Profile> profile;  ///< instead of a user of the data

  /// One row per item of the list, one value per criterion.
  [[nodiscard]] std::vector<std::vector<double>> attributions(const Recommendations& list) const;
  [[nodiscard]] Explanation explain(const Recommendations& list, const std::string& item) const;
};

[[nodiscard]] std::string list_text(const Session& session, const Asking& asking,
                                    const Recommendations& list, bool explain);

}  // namespace palate::cli
