// Rows of a dense graph as plain numbers.
#pragma once

#include <vector>

#include "graph/dense_graph.hpp"

namespace palate::testing {

/// Row i of P with every entry raised to a power, by place.
inline std::vector<double> dense_row(const DenseGraph& graph, std::size_t i, double power) {
  std::vector<float> row(graph.stride());
  kernels::unpack_power(graph.row(i), graph.blocks(), graph.shift(), static_cast<float>(power),
                        row.data());
  const auto own = static_cast<double>(graph.scale(power)[i]);
  std::vector<double> out(graph.items());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = own * static_cast<double>(row[j]);
  return out;
}

}  // namespace palate::testing
