// The graphs of a plan as packed rows, items in the order of their popularity.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/dense_graph.hpp"
#include "ranking/graph_scorer.hpp"

namespace palate {

struct PackedGraphs {
  std::shared_ptr<const FilterPlan> plan;
  ItemOrder order;
  std::vector<DenseGraph> graphs;  ///< one per graph of the plan

  [[nodiscard]] std::size_t items() const noexcept { return order.items(); }
  void add_similarities(std::size_t graph, std::uint32_t item, std::span<double> sums) const {
    graphs[graph].add_similarities(order, item, sums);
  }
  [[nodiscard]] GraphSize size() const noexcept {
    GraphSize size;
    for (const DenseGraph& graph : graphs) {
      size.entries += graph.entries();
      size.bytes += graph.bytes();
    }
    return size;
  }
  void save(Parts& parts) const {
    order.save(parts, "method/order");
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      graphs[g].save(parts, "method/graph" + std::to_string(g));
    }
  }
  /// Throws Error{corrupt}.
  void load(std::shared_ptr<const FilterPlan> of, const Parts& parts, std::size_t items) {
    plan = std::move(of);
    order = ItemOrder::load(parts, "method/order", items);
    for (std::size_t g = 0; g < plan->graphs.size(); ++g) {
      graphs.push_back(DenseGraph::load(parts, "method/graph" + std::to_string(g), items));
    }
  }
};

}  // namespace palate
