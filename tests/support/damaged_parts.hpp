// Parts of a model file with something missing.
#pragma once

#include <string>

#include "core/parts.hpp"

namespace palate::testing {

/// Calls refused(damaged, what) for parts without `name`, and with one element less of it.
template <class Refused>
void without_and_cut(const Parts& parts, const std::string& name, const Refused& refused) {
  Parts damaged = parts;
  damaged.arrays.erase(name);
  refused(damaged, name + " missing");
  damaged = parts;
  Part& part = damaged.arrays.at(name);
  part.bytes = part.bytes.first(part.bytes.size() - element_size(part.type));
  refused(damaged, name + " too short");
}

}  // namespace palate::testing
