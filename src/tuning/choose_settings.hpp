// The automatic choice of settings, for every method that has one.
#pragma once

#include <string_view>

#include "palate/model.hpp"

namespace palate {

[[nodiscard]] Choice choose_settings(std::string_view method, const Ratings& train,
                                     const ChooseOptions& options, const RunOptions& run);

/// The least overall rating that counts as liked: as asked for, or the middle of the scale.
[[nodiscard]] double liked_from(const Ratings& train, const ChooseOptions& options);

}  // namespace palate
