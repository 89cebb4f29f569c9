// The rows of bench_kernels.
#pragma once

#include <vector>

#include "machine.hpp"

namespace bench {

enum class Against { product, bandwidth };

struct KernelRow {
  const char* name;
  const char* what;
  Against against;
  Work (*make)();
};

/// Building a graph, and turning its rows into what is needed.
std::vector<KernelRow> graph_kernels();
/// From a graph to lists.
std::vector<KernelRow> list_kernels();

/// More than the last-level cache holds, in bytes.
std::size_t beyond_cache();
std::vector<float> random_floats(std::size_t n);

}  // namespace bench
