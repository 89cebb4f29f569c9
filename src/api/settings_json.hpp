// Settings of a method as JSON and back: what the model file and the tools show.
#pragma once

#include <string>

#include "palate/model.hpp"

namespace palate {

/// {"method": "ca-gf", "filters": {...}, ...}
[[nodiscard]] std::string settings_to_json(const Method& method);

/// The description of a model file.
struct Description {
  std::string version;
  Method method;
  std::vector<Criterion> criteria;
  std::size_t users = 0, items = 0, interactions = 0;
};
[[nodiscard]] std::string description_to_json(const Description& description);
/// Throws Error{corrupt} for anything that description_to_json would not write.
[[nodiscard]] Description description_from_json(const std::string& text);

}  // namespace palate
