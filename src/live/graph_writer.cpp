#include "live/graph_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "live/rows.hpp"

namespace palate::live {
namespace {

float as_single(double sum) { return static_cast<float>(std::min(sum, 1e38)); }

// All rows, both triangles, from the upper one.
void make_rows(State& next, std::size_t g, const ExactSums& sums, RowMemory& memory,
               ThreadPool& pool) {
  const auto& upper = sums.rows();
  const std::size_t items = upper.size();
  struct Mirrored {
    std::uint32_t column;
    float sum;
  };
  std::vector<std::uint64_t> starts(items + 1, 0);
  for (std::size_t i = 0; i < items; ++i) {
    for (const std::uint32_t j : upper[i].columns) starts[j + 1] += j == i ? 0 : 1;
  }
  for (std::size_t i = 0; i < items; ++i) starts[i + 1] += starts[i];
  std::vector<Mirrored> lower(starts[items]);
  std::vector<std::uint64_t> ends(starts.begin(), starts.end() - 1);
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::size_t k = 0; k < upper[i].columns.size(); ++k) {
      const std::uint32_t j = upper[i].columns[k];
      if (j != i) lower[ends[j]++] = {i, as_single(upper[i].sums[k].sum)};
    }
  }
  std::vector<Row> rows(items);
  pool.for_chunks(items, 64, [&](std::size_t begin, std::size_t end, unsigned) {
    std::vector<PairEdit> edits;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::uint32_t>(i);
      edits.clear();
      for (std::uint64_t k = starts[i]; k < ends[i]; ++k) {
        edits.push_back({row, lower[k].column, 0.0F, lower[k].sum});
      }
      for (std::size_t k = 0; k < upper[i].columns.size(); ++k) {
        edits.push_back({row, upper[i].columns[k], 0.0F, as_single(upper[i].sums[k].sum)});
      }
      rows[i] = next.base->dense ? edit_dense_row({}, edits, next.blocks(), memory)
                                 : edit_sparse_row({}, edits, memory);
    }
  });
  Graph& graph = next.graphs[g];
  graph = {};
  for (Row& row : rows) {
    graph.entries += link_count(row);
    graph.rows.push_back(std::move(row), next.version);
  }
  std::vector<float> shift(next.stride(), 0.0F);
  for (std::uint32_t item = 0; item < items; ++item) {
    shift[next.place_of(item)] = shift_of(next, next.base->plan->graphs[g], item);
  }
  graph.shift = std::make_shared<const std::vector<float>>(std::move(shift));
}

// One edit per entry: what it was first, and what it became last.
void settle(std::vector<PairEdit>& edits) {
  const auto before = [](const PairEdit& a, const PairEdit& b) {
    return a.row < b.row || (a.row == b.row && a.column < b.column);
  };
  if (!std::is_sorted(edits.begin(), edits.end(), before)) {
    std::stable_sort(edits.begin(), edits.end(), before);
  }
  std::size_t kept = 0;
  for (const PairEdit& edit : edits) {
    if (kept > 0 && edits[kept - 1].row == edit.row && edits[kept - 1].column == edit.column) {
      edits[kept - 1].after = edit.after;
    } else {
      edits[kept++] = edit;
    }
  }
  edits.resize(kept);
}

}  // namespace

float shift_of(const State& state, CriterionSet criteria, std::uint32_t item) {
  double sum = 0;
  for (; criteria != 0; criteria &= criteria - 1) {
    sum += state.total(item, static_cast<std::size_t>(std::countr_zero(criteria))).sum;
  }
  return sum > 0 ? static_cast<float>(-0.5 * std::log2(sum)) : 0.0F;
}

GraphWriter::GraphWriter(State& next, bool rows, ThreadPool& pool)
    : keepers_(next.base->plan->powers.size()), edits_(next.base->plan->graphs.size()) {
  const CaGfPlan& plan = *next.base->plan;
  for (std::size_t g = 0; g < plan.graphs.size(); ++g) {
    sums_.emplace_back(next, plan.graphs[g], pool);
    if (rows) make_rows(next, g, sums_[g], *memory_, pool);
  }
  next.bounds.resize(plan.powers.size());
  for (std::size_t v = 0; v < keepers_.size(); ++v) {
    if (next.base->bounds_needed(v)) keepers_[v] = std::make_unique<BoundKeeper>(next, v, pool);
  }
}

void GraphWriter::grow(State& next) {
  for (std::size_t g = 0; g < sums_.size(); ++g) {
    Graph& graph = next.graphs[g];
    sums_[g].grow(next.items());
    while (graph.rows.size() < next.items()) graph.rows.push_back({}, next.version);
    if (graph.shift->size() < next.stride()) {
      auto shift = std::make_shared<std::vector<float>>(*graph.shift);
      shift->resize(next.stride(), 0.0F);
      graph.shift = std::move(shift);
    }
  }
  for (const auto& keeper : keepers_) {
    if (keeper) keeper->grow(next);
  }
}

void GraphWriter::user_changed(State& next, const Ledger& ledger, const UserRatings& before,
                               const UserRatings& after) {
  for (std::size_t g = 0; g < sums_.size(); ++g) {
    const CriterionSet criteria = next.base->plan->graphs[g];
    const auto resum = [&](std::uint32_t a, std::uint32_t b) {
      return ledger.pair_sum(next, criteria, next.item_at(a), next.item_at(b));
    };
    sums_[g].change(scale_row(next, before, criteria), scale_row(next, after, criteria), resum,
                    edits_[g]);
  }
}

std::size_t GraphWriter::waiting() const noexcept {
  std::size_t count = 0;
  for (const auto& edits : edits_) count += edits.size();
  return count;
}

void GraphWriter::change_shifts(State& next, std::size_t g,
                                const std::vector<std::uint32_t>& items) {
  if (items.empty()) return;
  auto shift = std::make_shared<std::vector<float>>(*next.graphs[g].shift);
  for (const std::uint32_t item : items) {
    (*shift)[next.place_of(item)] = shift_of(next, next.base->plan->graphs[g], item);
  }
  next.graphs[g].shift = std::move(shift);
}

void GraphWriter::change_rows(State& next, std::size_t g) {
  std::vector<PairEdit>& edits = edits_[g];
  settle(edits);
  Graph& graph = next.graphs[g];
  for (std::size_t k = 0; k < edits.size();) {
    const std::size_t from = k;
    while (k < edits.size() && edits[k].row == edits[from].row) ++k;
    const auto mine = std::span<const PairEdit>(edits).subspan(from, k - from);
    Row& row = graph.rows.edit(edits[from].row, next.version);
    row = next.base->dense ? edit_dense_row(row, mine, next.blocks(), *memory_)
                           : edit_sparse_row(row, mine, *memory_);
    for (const PairEdit& edit : mine) {
      if (edit.before <= 0 && edit.after > 0) ++graph.entries;
      if (edit.before > 0 && edit.after <= 0) --graph.entries;
    }
    for (std::size_t v = 0; v < keepers_.size(); ++v) {
      if (keepers_[v] && next.base->plan->powers[v].graph == g) {
        keepers_[v]->row_changed(edits[from].row, mine);
      }
    }
  }
  edits.clear();
}

void GraphWriter::flush(State& next, const std::vector<std::uint32_t>& items) {
  for (std::size_t g = 0; g < sums_.size(); ++g) {
    change_shifts(next, g, items);
    for (std::size_t v = 0; v < keepers_.size(); ++v) {
      if (!keepers_[v] || next.base->plan->powers[v].graph != g) continue;
      for (const std::uint32_t item : items) keepers_[v]->shift_changed(next, next.place_of(item));
    }
    change_rows(next, g);
  }
  for (const auto& keeper : keepers_) {
    if (keeper) keeper->publish(next);
  }
}

}  // namespace palate::live
