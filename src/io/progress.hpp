// How far reading is.
#pragma once

#include <cstdint>

#include "palate/error.hpp"
#include "palate/run.hpp"

namespace palate::io {

/// Tells the caller's progress callback, if there is one; throws Error{cancelled} if it says stop.
inline void tell(const RunOptions& run, std::uint64_t done, std::uint64_t total) {
  if (run.progress && !run.progress("read", done, total)) {
    throw Error(ErrorCode::cancelled, "reading was stopped");
  }
}

}  // namespace palate::io
