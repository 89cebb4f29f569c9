// How a long call runs: on how many threads, and whom it tells of its progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace palate {

/// Called now and then from the calling thread's side of a long call with the name of the stage and
/// how much of it is done; a total of 0 is not known. Return false to stop: the call then throws
/// Error{cancelled}.
using Progress =
    std::function<bool(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

/// Seconds by stage of the work, in order.
using Stages = std::vector<std::pair<std::string, double>>;

struct RunOptions {
  unsigned threads = 0;    ///< 0: all cores. Results never depend on it.
  Progress progress = {};  ///< may be empty
  /// Bytes that a fit may take, the ratings not counted; 0: what the machine has to spare.
  std::size_t memory = 0;
};

}  // namespace palate
#pragma GCC visibility pop
