// A stopwatch for work in stages.
#pragma once

#include <chrono>

#include "palate/run.hpp"

namespace palate {

class StageClock {
 public:
  explicit StageClock(Stages& stages) : stages_(stages) {}

  /// Notes the time since the last stage was done.
  void done(const char* stage) {
    const auto now = std::chrono::steady_clock::now();
    stages_.emplace_back(stage, std::chrono::duration<double>(now - start_).count());
    start_ = now;
  }

 private:
  Stages& stages_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace palate
