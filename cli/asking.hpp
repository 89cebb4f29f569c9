// What recommend and explain share: the person who asks, weights, and the picture of a score.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "palate/palate.hpp"

namespace palate::cli {

/// "taste=2" for each; checked against the criteria of `ratings`.
[[nodiscard]] std::vector<std::pair<std::string, double>> parse_weights(
    const std::vector<std::string>& texts, const Ratings& ratings);

void add_profile_option(Command& command, std::filesystem::path& profile);
void add_weight_option(Command& command, std::vector<std::string>& weights);

/// "Golden Fork (r17)", or the id alone.
[[nodiscard]] std::string named(std::string_view id, std::string_view title);

/// Bars by criterion, one line each.
[[nodiscard]] std::string criterion_bars(const Session& session, const Explanation& why,
                                         std::string_view indent);
/// The rated items that add most, their parts stacked, what is left, and the total.
[[nodiscard]] std::string part_table(const Session& session, const Explanation& why,
                                     std::size_t most);

}  // namespace palate::cli
