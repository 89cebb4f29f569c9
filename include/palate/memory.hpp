// Memory that the library keeps for the process. Implemented in src/base.
#pragma once

#include <cstddef>

#pragma GCC visibility push(default)
namespace palate {

/// Large arrays that were used for a while (by a fit, a list, a state of a live model) are kept, up
/// to two gigabytes, for the next to need one: the first touch of new memory is slow. The system
/// may take most of it when it is short. This gives all of it back at once and says how many bytes
/// that was, beside what the allocator can spare; what is in use is not touched. For a process that
/// is done with large work. Any thread may call it at any time.
std::size_t release_memory() noexcept;

}  // namespace palate
#pragma GCC visibility pop
