// What recommend and explain share: the person who asks, weights, and the picture of a score.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "palate/palate.hpp"

namespace palate::cli {

/// Dials, and for research weights of a method's terms: "taste=2" for each.
struct WeightOptions {
  std::vector<std::string> dials, terms;

  /// Checked against the criteria of `ratings`.
  void into(RecommendOptions& options, const Ratings& ratings) const;
};

void add_profile_option(Command& command, std::filesystem::path& profile);
void add_weight_options(Command& command, WeightOptions& weights);

/// "Golden Fork (r17)", or the id alone.
[[nodiscard]] std::string named(std::string_view id, std::string_view title);

/// Bars by criterion with shares of the score, one line each.
[[nodiscard]] std::string criterion_bars(const Session& session, const Explanation& why,
                                         std::string_view indent);
/// What the dials add and why, one line each; empty if all are at 1.
[[nodiscard]] std::string dial_lines(const Session& session, const Explanation& why,
                                     std::string_view indent);
/// What else is to be known of how the parts compare, a sentence each.
[[nodiscard]] std::string note_lines(const Session& session, const Explanation& why,
                                     std::string_view indent);
/// The rated items that add most, their parts stacked, what is left, and the total, as
/// shares of the score.
[[nodiscard]] std::string part_table(const Session& session, const Explanation& why,
                                     std::size_t most);

}  // namespace palate::cli
