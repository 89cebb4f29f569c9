// The settings of each method on each data set.
#pragma once

#include <optional>
#include <string_view>

#include "palate/palate.hpp"

namespace palate::cli::reproduce {

/// How the settings of a method on a data set were found, in a word or two.
[[nodiscard]] std::string_view found_by(std::string_view data, std::string_view method);
/// What these words mean.
[[nodiscard]] std::string_view how_chosen();

/// None: the method is not run on these data.
[[nodiscard]] std::optional<Method> chosen(std::string_view data, std::string_view method,
                                           std::span<const Criterion> criteria);

}  // namespace palate::cli::reproduce
