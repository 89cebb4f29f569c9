// What is computed of the graphs of a data set: which ratings each graph is built from, to which
// powers its entries are raised, and which polynomial filters what.
#pragma once

#include <optional>
#include <vector>

#include "graph/item_graph.hpp"
#include "palate/method.hpp"

namespace palate {

/// Criteria that share a graph and a filter: their signals are merged before filtering.
struct Branch {
  std::size_t graph = 0;   ///< index into FilterPlan::graphs
  std::size_t values = 0;  ///< index into FilterPlan::powers: which adjusted copy of the graph
  std::vector<double> coefficients;
  CriterionSet criteria = 0;
};

struct FilterPlan {
  struct Adjusted {
    std::size_t graph = 0;
    double power = 1.0;
  };
  std::size_t criteria = 0;          ///< C + 1
  CriterionSet signals = 0;          ///< criteria whose ratings count
  std::vector<CriterionSet> graphs;  ///< the ratings that each graph is built from
  std::vector<Adjusted> powers;      ///< distinct (graph, power) pairs
  std::vector<Branch> branches;      ///< distinct (graph, filter) pairs
  std::optional<double> preference;  ///< s_T; none: every criterion weighs 1
  std::vector<Filter> filters;       ///< per criterion, variant applied
  Solver solver = Solver::automatic;
  std::size_t neighbours = 0;  ///< at most so many links per item; 0: as the data and memory allow
  std::size_t whole_items = 2048;  ///< filters over at most so many items are multiplied out
};

}  // namespace palate
