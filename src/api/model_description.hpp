// What a model file says of itself, as JSON and back.
#pragma once

#include <string>
#include <vector>

#include "palate/method.hpp"

namespace palate {

struct ModelDescription {
  std::string version;  ///< of the palate that fitted it
  Method method;
  std::vector<Criterion> criteria;
  std::size_t users = 0, items = 0, interactions = 0;
};
[[nodiscard]] std::string description_to_json(const ModelDescription& description);
/// Throws Error{corrupt} for anything that description_to_json would not write.
[[nodiscard]] ModelDescription description_from_json(const std::string& text);

}  // namespace palate
