#include "live/graph_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "palate/error.hpp"
#include "ranking/memory_budget.hpp"

namespace palate::live {
namespace {

double pairs_of_one(const User& user) {
  const auto n = static_cast<double>(user.for_others().size());
  return n * n;
}

// Of those who have changed, before or after, whichever is more.
double changed_pairs(const State& seen, const Waiting& waiting) {
  double out = 0;
  for (const auto& [user, before] : waiting.before) {
    out += std::max(pairs_of_one(before), pairs_of_one(seen.users[user]));
  }
  return out;
}

// Where more than this share of all pairs has changed, all are summed anew: that is quicker, and a
// link then takes a third of the memory. Not for few people with little.
constexpr double large_share = 0.25;

bool is_large(const State& seen, const Waiting& waiting, double changed) {
  constexpr double little = 4e6;
  if (waiting.before.size() < 16 && changed < little) return false;
  double all = 0;
  for (std::size_t user = 0; user < seen.users.size(); ++user) {
    all += pairs_of_one(seen.users[user]);
  }
  return changed > large_share * all;
}

// A row in which the ratings of some user stand: `at` is its position in theirs.
struct Touch {
  std::uint32_t row, change, at;
};

std::vector<Touch> rows_of(const std::vector<UserChange>& changes) {
  std::vector<Touch> out;
  for (std::uint32_t u = 0; u < changes.size(); ++u) {
    const auto places = changes[u].places();
    for (std::uint32_t k = 0; k < places.size(); ++k) out.push_back({places[k], u, k});
  }
  std::sort(out.begin(), out.end(), [](const Touch& a, const Touch& b) {
    return a.row < b.row || (a.row == b.row && a.change < b.change);
  });
  return out;
}

// Adds up what several users change in one row.
class RowScratch {
 public:
  explicit RowScratch(std::size_t places) : sums_(places, 0.0), touched_((places + 63) / 64, 0) {}

  void gather(const std::vector<UserChange>& changes, std::span<const Touch> touches,
              RowChange& out) {
    out.columns.clear();
    if (touches.size() == 1) {
      const UserChange& one = changes[touches[0].change];
      one.changes_of(touches[0].at, out.changes);
      out.columns.assign(one.places().begin(), one.places().end());
      return;
    }
    for (const Touch& touch : touches) {
      const UserChange& one = changes[touch.change];
      one.changes_of(touch.at, part_);
      for (std::size_t k = 0; k < part_.size(); ++k) {
        const std::uint32_t column = one.places()[k];
        sums_[column] += part_[k];
        touched_[column / 64] |= std::uint64_t{1} << (column % 64);
      }
    }
    out.changes.clear();
    for (std::size_t word = 0; word < touched_.size(); ++word) {
      for (; touched_[word] != 0; touched_[word] &= touched_[word] - 1) {
        const auto column = static_cast<std::uint32_t>(
            word * 64 + static_cast<std::size_t>(std::countr_zero(touched_[word])));
        out.columns.push_back(column);
        out.changes.push_back(sums_[column]);
        sums_[column] = 0;
      }
    }
  }

 private:
  std::vector<double> sums_, part_;
  std::vector<std::uint64_t> touched_;
};

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
      rows.push_back(scale_row(*state.base, state.users[u].for_others(), criteria));
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

// -log2(d_i) / 2 with d_i the sum of an item's ratings on some criteria; 0 if that is 0.
float shift_of(const State& state, CriterionSet criteria, std::uint32_t item) {
  double sum = 0;
  for (; criteria != 0; criteria &= criteria - 1) {
    sum += state.total(item, static_cast<std::size_t>(std::countr_zero(criteria))).sum;
  }
  return sum > 0 ? static_cast<float>(-0.5 * std::log2(sum)) : 0.0F;
}

// Rows and shifts of one graph, all of them, from the ratings of a state.
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

}  // namespace

GraphWriter::GraphWriter(const State& first, const RunOptions& run)
    : base_(first.base), run_(run), pool_(run.threads, run.progress, "graph") {
  if (!base_->dense) {
    rebuild(first);
    return;
  }
  Links next;
  next.items = first.items();
  const std::uint64_t edition = new_edition();
  for (const DenseGraph& fitted : base_->graphs) {
    Graph& graph = next.graphs.emplace_back();
    for (std::size_t i = 0; i < fitted.items(); ++i) {
      const kernels::PackedRow row = fitted.row(i);
      const auto blocks = static_cast<std::uint32_t>(fitted.blocks());
      graph.rows.push_back({row.masks, nullptr, row.logs, blocks, nullptr}, edition);
    }
    graph.shift = std::make_shared<const std::vector<float>>(fitted.shift(),
                                                             fitted.shift() + fitted.stride());
    graph.entries = fitted.entries();
  }
  measure(next);
  links_ = std::make_shared<const Links>(std::move(next));
}

void GraphWriter::rebuild(const State& seen) {
  Links next;
  next.items = seen.items();
  for (const CriterionSet criteria : base_->plan->graphs) {
    next.graphs.push_back(build_graph(seen, criteria, *memory_, pool_));
  }
  measure(next);
  links_ = std::make_shared<const Links>(std::move(next));
}

// What follows from the rows of `next`.
void GraphWriter::measure(Links& next) {
  const FilterPlan& plan = *base_->plan;
  sums_.clear();
  for (const CriterionSet criteria : plan.graphs) sums_.emplace_back(criteria);
  next.bounds.resize(plan.powers.size());
  keepers_.clear();
  keepers_.resize(plan.powers.size());
  for (std::size_t v = 0; v < keepers_.size(); ++v) {
    if (base_->bounds_needed(v)) keepers_[v] = std::make_unique<BoundKeeper>(next, base_, v, pool_);
  }
}

void GraphWriter::change_shifts(Links& next, const State& seen, std::size_t g,
                                const std::vector<std::uint32_t>& items) {
  if (items.empty()) return;
  auto shift = std::make_shared<std::vector<float>>(*next.graphs[g].shift);
  for (const std::uint32_t item : items) {
    (*shift)[base_->place_of(item)] = shift_of(seen, base_->plan->graphs[g], item);
  }
  next.graphs[g].shift = std::move(shift);
  for (std::size_t v = 0; v < keepers_.size(); ++v) {
    if (!keepers_[v] || base_->plan->powers[v].graph != g) continue;
    for (const std::uint32_t item : items) keepers_[v]->shift_changed(next, base_->place_of(item));
  }
}

void GraphWriter::change_row(Links& next, const State& seen, std::size_t g, std::uint32_t place) {
  Graph& graph = next.graphs[g];
  Row& row = graph.rows.edit(place, edition_);
  row = sums_[g].change(seen, place, row, change_, *memory_, edits_);
  for (const PairEdit& edit : edits_) {
    if (edit.before <= 0 && edit.after > 0) ++graph.entries;
    if (edit.before > 0 && edit.after <= 0) --graph.entries;
  }
  for (std::size_t v = 0; v < keepers_.size(); ++v) {
    if (keepers_[v] && base_->plan->powers[v].graph == g) keepers_[v]->row_changed(place, edits_);
  }
}

void GraphWriter::follow_graph(Links& next, const State& seen, std::size_t g,
                               const Waiting& waiting) {
  std::vector<UserChange> changes;
  changes.reserve(waiting.before.size());
  for (const auto& [user, before] : waiting.before) {
    changes.emplace_back(*base_, before.for_others(), seen.users[user].for_others(),
                         base_->plan->graphs[g]);
    if (!changes.back().any()) changes.pop_back();
  }
  const std::vector<Touch> touches = rows_of(changes);
  RowScratch scratch(seen.items());
  for (std::size_t k = 0; k < touches.size();) {
    if (run_.progress && !run_.progress("graph", k, touches.size())) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
    const std::size_t from = k;
    while (k < touches.size() && touches[k].row == touches[from].row) ++k;
    scratch.gather(changes, std::span(touches).subspan(from, k - from), change_);
    change_row(next, seen, g, touches[from].row);
  }
}

// At most: rows that are copied with their sums (ExactSums), which come to four floats per link,
// and what new links take; or all rows anew beside the old ones.
void GraphWriter::check_memory(const State& seen, const Waiting& waiting, double changed) const {
  constexpr double unnoticed = 64e6;
  const auto graphs = static_cast<double>(sums_.size());
  const auto items = static_cast<double>(seen.items());
  double links = 0;
  for (const Graph& graph : links_->graphs) links += static_cast<double>(graph.entries);
  double needed = 0;
  if (changed > 0) {
    std::vector<std::uint32_t> rows = waiting.items;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const double touched = links * static_cast<double>(rows.size()) / std::max(1.0, items);
    needed = 4 * sizeof(float) * (touched + graphs * changed);
  } else {
    double pairs = 0;
    for (std::size_t user = 0; user < seen.users.size(); ++user) {
      pairs += pairs_of_one(seen.users[user]);
    }
    needed = graphs * 2 * sizeof(float) * std::min(pairs, items * items);
  }
  if (needed > unnoticed) {
    MemoryBudget(run_.memory).check(needed, "a fit keeps the strongest links alone");
  }
}

std::shared_ptr<const Links> GraphWriter::follow(const State& seen, const Waiting& waiting) {
  const double changed = changed_pairs(seen, waiting);
  const bool anew = torn_ || is_large(seen, waiting, changed);
  check_memory(seen, waiting, anew ? 0 : changed);
  torn_ = true;
  if (anew) {
    rebuild(seen);
  } else {
    Links next = *covering(links_, *base_, seen.items());
    edition_ = new_edition();
    for (const auto& keeper : keepers_) {
      if (keeper) keeper->grow(next);
    }
    std::vector<std::uint32_t> items = waiting.items;
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    for (std::size_t g = 0; g < sums_.size(); ++g) {
      change_shifts(next, seen, g, items);
      follow_graph(next, seen, g, waiting);
    }
    for (const auto& keeper : keepers_) {
      if (keeper) keeper->publish(next, edition_);
    }
    links_ = std::make_shared<const Links>(std::move(next));
  }
  torn_ = false;
  return links_;
}

}  // namespace palate::live
