// What this machine can do: the yardsticks of bench_kernels. One instance per thread.
#pragma once

#include <cstddef>
#include <functional>

namespace bench {

/// One call of `once` handles that many elements with that many floating-point operations, and
/// moves that many bytes. What it returns only keeps the compiler from leaving the work out.
struct Work {
  double elements = 0;
  double flops = 0;
  double bytes = 0;
  std::function<double()> once;
};

/// A product of two float matrices of 1024 x 1024.
Work matrix_product();
/// Reads an array of `bytes`.
Work memory_read(std::size_t bytes);
/// a[k] = b[k] + 3 c[k] over three arrays of `bytes` together.
Work memory_triad(std::size_t bytes);

}  // namespace bench
