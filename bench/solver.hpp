// How a program here sets the solver and tells what the model chose.
#pragma once

#include <cstddef>
#include <string>

#include "measure.hpp"
#include "palate/palate.hpp"

namespace bench {

inline void set_solver(palate::CaGf& settings, const std::string& name,
                       std::size_t neighbours = 0) {
  palate::Method method(settings);
  method.set("solver", name);
  settings = *method.ca_gf();
  settings.computing.neighbours = neighbours;
}

/// Which way the model went, how it is stored, and why.
inline Json chosen_way(const palate::ModelInfo& info) {
  return {{"solver", info.solver}, {"storage", info.storage}, {"why", info.why}};
}

}  // namespace bench
