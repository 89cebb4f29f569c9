// Sums in double precision, with the size of what was added: what a test allows for rounding.
#pragma once

#include <cmath>

namespace palate::testing {

struct Sum {
  double sum = 0, size = 0;

  void add(double term) {
    sum += term;
    size += std::abs(term);
  }
  void add_product(float a, float b) { add(static_cast<double>(a) * static_cast<double>(b)); }
};

}  // namespace palate::testing
