// How much memory there is to spare.
#pragma once

#include <cstddef>

namespace palate {

/// Bytes that the process can still take before the machine, its control group or its own limit
/// says no.
[[nodiscard]] std::size_t available_memory();

}  // namespace palate
