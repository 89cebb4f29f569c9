// The automatic choice of settings, for every method that has one.
#pragma once

#include <string>
#include <string_view>

#include "palate/model.hpp"

namespace palate {

[[nodiscard]] Choice choose_settings(std::string_view method, const Ratings& train,
                                     const ChooseOptions& options, const RunOptions& run);

/// With three digits: "0.125", "1.5e+03".
[[nodiscard]] std::string short_number(double value);

}  // namespace palate
