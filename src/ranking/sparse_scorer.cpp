#include "ranking/sparse_scorer.hpp"

#include <algorithm>
#include <cmath>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"

namespace palate {

void SparseGraphs::save(Parts& parts) const {
  for (std::size_t g = 0; g < patterns.size(); ++g) {
    patterns[g].save(parts, "method/graph" + std::to_string(g));
  }
  for (std::size_t v = 0; v < values.size(); ++v) {
    parts.put("method/values" + std::to_string(v), values[v]);
    parts.put("method/lengths" + std::to_string(v), lengths[v]);
    parts.put("method/diagonal" + std::to_string(v), diagonal[v]);
    if (subspaces[v].rank > 0) {
      subspaces[v].save(parts, "method/subspace" + std::to_string(v));
    }
  }
}

GraphSize SparseGraphs::size() const noexcept {
  GraphSize size;
  for (const GraphPattern& pattern : patterns) {
    size.entries += pattern.entries();
    size.bytes += pattern.offsets.size() * sizeof(std::uint64_t);
  }
  size.bytes += size.entries * sizeof(std::uint32_t);
  for (const Array<float>& some : values) size.bytes += some.size() * sizeof(float);
  return size;
}

void SparseGraphs::add_similarities(std::size_t graph, std::uint32_t item,
                                    std::span<double> sums) const {
  // Any adjusted copy will do: its entries are P^s, so P is their power 1/s.
  const auto& powers = plan->powers;
  const auto copy = std::find_if(powers.begin(), powers.end(),
                                 [graph](const auto& adjusted) { return adjusted.graph == graph; });
  const auto& mine = values[static_cast<std::size_t>(copy - powers.begin())];
  const GraphPattern& pattern = patterns[graph];
  for (std::uint64_t k = pattern.offsets[item]; k < pattern.offsets[item + 1]; ++k) {
    sums[pattern.columns[k]] += std::pow(static_cast<double>(mine[k]), 1.0 / copy->power);
  }
}

SparseScorer::SparseScorer(std::shared_ptr<const FilterPlan> plan, std::vector<ItemGraph> graphs,
                           bool exact, ThreadPool& pool) {
  for (const auto& [graph, power] : plan->powers) {
    graphs_.values.push_back(hadamard_power(graphs[graph].values, power, pool));
  }
  for (ItemGraph& graph : graphs) graphs_.patterns.push_back(std::move(graph.pattern));
  graphs_.plan = std::move(plan);
  graphs_.exact = exact;
  graphs_.subspaces.resize(graphs_.values.size());
  if (exact) {
    measure_rows(pool);
    find_longest();
    return;
  }
  graphs_.lengths.resize(graphs_.values.size());
  graphs_.diagonal.resize(graphs_.values.size());
  for (const Branch& branch : graphs_.plan->branches) {
    Subspace& space = graphs_.subspaces[branch.values];
    if (branch.coefficients.size() != 2 || space.rank > 0) continue;
    space =
        leading_subspace(graphs_.patterns[branch.graph], graphs_.values[branch.values], {}, pool);
  }
  measure_subspaces();
}

void SparseScorer::measure_rows(ThreadPool& pool) {
  graphs_.lengths.resize(graphs_.values.size());
  graphs_.diagonal.resize(graphs_.values.size());
  for (const Branch& branch : graphs_.plan->branches) {
    if (branch.coefficients.size() != 2 || !graphs_.lengths[branch.values].empty()) continue;
    std::vector<float> lengths(items());
    std::vector<float> diagonal(items(), 0.0F);
    pool.for_chunks(items(), 1024, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto columns = graphs_.columns(branch, i);
        const float* row = graphs_.row(branch, i);
        double squares = 0;
        for (std::size_t k = 0; k < columns.size(); ++k) {
          if (columns[k] == i) {
            diagonal[i] = row[k];
          } else {
            squares += static_cast<double>(row[k]) * static_cast<double>(row[k]);
          }
        }
        lengths[i] = static_cast<float>(std::sqrt(squares) * (1 + tolerance::to_float));
      }
    });
    graphs_.lengths[branch.values] = std::move(lengths);
    graphs_.diagonal[branch.values] = std::move(diagonal);
  }
}

void SparseScorer::find_longest() {
  for (const Array<float>& lengths : graphs_.lengths) {
    graphs_.longest.push_back(lengths.empty() ? 0.0F
                                              : *std::max_element(lengths.begin(), lengths.end()));
  }
  for (std::size_t i = 0; i < items() && graphs_.exact; ++i) {
    for (const Branch& branch : graphs_.plan->branches) {
      if (branch.coefficients.size() != 2) continue;
      graphs_.near.push_back(
          {graphs_.diagonal[branch.values][i], graphs_.lengths[branch.values][i]});
    }
  }
}

void SparseScorer::measure_subspaces() {
  for (const Subspace& space : graphs_.subspaces) {
    std::vector<float>& reach = graphs_.reaches.emplace_back();
    for (std::size_t i = 0; i < items() && space.rank > 0; ++i) {
      const auto squares =
          kernels::square_sum(space.coordinates.span().subspan(i * space.rank, space.rank));
      reach.push_back(static_cast<float>(std::sqrt(squares) * (1 + tolerance::length)));
    }
  }
}

void SparseScorer::recommend(Queries queries, Signals signals, Lists lists,
                             ThreadPool& pool) const {
  pool.for_chunks(queries.size(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    const auto person = people_.lend(graphs_);
    for (std::size_t k = begin; k < end; ++k) lists[k] = person->recommend(queries[k], signals[k]);
  });
}

void SparseScorer::score(Signals signals, std::span<float> scores) const {
  const auto person = people_.lend(graphs_);
  for (std::size_t n = 0; n < signals.size(); ++n) {
    person->score(signals[n], scores.subspan(n * items(), items()));
  }
}

GraphScorer::Column SparseScorer::filter_column(const Branch& branch, std::uint32_t item,
                                                Items at) const {
  Column power(items(), 0.0);
  const auto linked = graphs_.columns(branch, item);
  for (std::size_t k = 0; k < linked.size(); ++k) {
    power[linked[k]] = static_cast<double>(graphs_.row(branch, item)[k]);
  }
  const std::span<const double> a = branch.coefficients;
  Column column = filter_column_at(graphs_.exact ? a : a.first(1), std::move(power), items(), at,
                                   [&](std::size_t j, const Column& y) {
                                     const auto columns = graphs_.columns(branch, j);
                                     const float* values = graphs_.row(branch, j);
                                     double sum = 0;
                                     for (std::size_t k = 0; k < columns.size(); ++k) {
                                       sum += static_cast<double>(values[k]) * y[columns[k]];
                                     }
                                     return sum;
                                   });
  if (graphs_.exact || a.size() != 2) return column;
  const bool reached = std::any_of(at.begin(), at.end(), [&](std::uint32_t j) {
    return std::any_of(graphs_.patterns.begin(), graphs_.patterns.end(),
                       [&](const GraphPattern& pattern) {
                         const auto row = pattern.row(j);
                         return std::binary_search(row.begin(), row.end(), item);
                       });
  });
  if (reached) add_estimated_column(a[1], graphs_.subspaces[branch.values], item, at, column);
  return column;
}

SparseScorer::SparseScorer(std::shared_ptr<const FilterPlan> plan, const Parts& parts,
                           std::size_t items, bool exact) {
  graphs_.exact = exact;
  graphs_.subspaces.resize(plan->powers.size());
  for (std::size_t g = 0; g < plan->graphs.size(); ++g) {
    graphs_.patterns.push_back(
        GraphPattern::load(parts, "method/graph" + std::to_string(g), items));
  }
  for (std::size_t v = 0; v < plan->powers.size(); ++v) {
    graphs_.values.push_back(parts.get<float>("method/values" + std::to_string(v)));
    graphs_.lengths.push_back(parts.get<float>("method/lengths" + std::to_string(v)));
    graphs_.diagonal.push_back(parts.get<float>("method/diagonal" + std::to_string(v)));
    if (graphs_.values[v].size() != graphs_.patterns[plan->powers[v].graph].entries()) {
      throw Error(ErrorCode::corrupt, "the item graph in the model file is damaged");
    }
  }
  for (const Branch& branch : plan->branches) {
    if (branch.coefficients.size() != 2) continue;
    Subspace& space = graphs_.subspaces[branch.values];
    if (!exact && space.rank == 0) {
      space = Subspace::load(parts, "method/subspace" + std::to_string(branch.values), items);
    }
    if (exact && (graphs_.lengths[branch.values].size() != items ||
                  graphs_.diagonal[branch.values].size() != items)) {
      throw Error(ErrorCode::corrupt, "the model file lacks the lengths of the rows of its graph");
    }
  }
  graphs_.plan = std::move(plan);
  find_longest();
  measure_subspaces();
}

}  // namespace palate
