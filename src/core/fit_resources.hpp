// What a fit may use, and whom it tells.
#pragma once

#include <cstddef>

#include "base/thread_pool.hpp"
#include "palate/run.hpp"

namespace palate {

struct FitResources {
  ThreadPool& pool;
  const Progress& progress;
  Stages& stages;          ///< where it says what took how long
  std::size_t memory = 0;  ///< bytes; 0: what the machine has to spare
};

}  // namespace palate
