#include "live/graph_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "live/exact_sums.hpp"

namespace palate::live {
namespace {

// Everybody's scaled ratings, and the way from a place to its raters.
struct Everybody {
  struct Rating {
    std::uint32_t user, at;
  };
  std::vector<ScaledRow> rows;
  std::vector<std::uint64_t> offsets;
  std::vector<Rating> ratings;  // those of place i are from offsets[i] on

  Everybody(const State& state, CriterionSet criteria) : offsets(state.items() + 1, 0) {
    rows.reserve(state.users.size());
    for (std::size_t u = 0; u < state.users.size(); ++u) {
      rows.push_back(scale_row(*state.base, state.users[u].ratings, criteria));
      for (const std::uint32_t place : rows.back().places) ++offsets[place + 1];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    ratings.resize(offsets.back());
    std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::uint32_t u = 0; u < rows.size(); ++u) {
      for (std::uint32_t k = 0; k < rows[u].places.size(); ++k) {
        ratings[next[rows[u].places[k]]++] = {u, k};
      }
    }
  }
};

class RowBuilder {
 public:
  explicit RowBuilder(std::size_t places) : sums_(places, 0.0) {}

  [[nodiscard]] Row build(const Everybody& all, std::size_t place, const State& state,
                          RowMemory& memory) {
    touched_.clear();
    for (std::uint64_t n = all.offsets[place]; n < all.offsets[place + 1]; ++n) {
      const auto [user, at] = all.ratings[n];
      const ScaledRow& row = all.rows[user];
      pairs_.resize(row.places.size());
      pairs_of(row, at, pairs_);
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        if (pairs_[k] <= 0) continue;
        double& sum = sums_[row.places[k]];
        if (sum == 0) touched_.push_back(row.places[k]);
        sum += pairs_[k];
      }
    }
    std::sort(touched_.begin(), touched_.end());
    edits_.clear();
    for (const std::uint32_t j : touched_) {
      edits_.push_back({j, 0.0F, static_cast<float>(std::min(sums_[j], 1e38))});
      sums_[j] = 0;
    }
    return state.base->dense ? edit_dense_row({}, edits_, state.blocks(), memory)
                             : edit_sparse_row({}, edits_, memory);
  }

 private:
  std::vector<double> sums_, pairs_;  // sums_: all 0 between rows
  std::vector<std::uint32_t> touched_;
  std::vector<PairEdit> edits_;
};

}  // namespace

Graph build_graph(const State& state, CriterionSet criteria, RowMemory& memory, ThreadPool& pool) {
  const Everybody all(state, criteria);
  std::vector<Row> rows(state.items());
  std::vector<std::unique_ptr<RowBuilder>> builders(pool.size());
  pool.for_chunks(rows.size(), 16, [&](std::size_t begin, std::size_t end, unsigned worker) {
    if (!builders[worker]) builders[worker] = std::make_unique<RowBuilder>(rows.size());
    for (std::size_t i = begin; i < end; ++i) {
      rows[i] = builders[worker]->build(all, i, state, memory);
    }
  });
  Graph graph;
  const std::uint64_t edition = new_edition();
  for (Row& row : rows) {
    graph.entries += link_count(row);
    graph.rows.push_back(std::move(row), edition);
  }
  std::vector<float> shift(state.stride(), 0.0F);
  for (std::uint32_t item = 0; item < rows.size(); ++item) {
    shift[state.place_of(item)] = shift_of(state, criteria, item);
  }
  graph.shift = std::make_shared<const std::vector<float>>(std::move(shift));
  return graph;
}

float shift_of(const State& state, CriterionSet criteria, std::uint32_t item) {
  double sum = 0;
  for (; criteria != 0; criteria &= criteria - 1) {
    sum += state.total(item, static_cast<std::size_t>(std::countr_zero(criteria))).sum;
  }
  return sum > 0 ? static_cast<float>(-0.5 * std::log2(sum)) : 0.0F;
}

}  // namespace palate::live
