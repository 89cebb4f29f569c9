#include "ranking/dense_scorer.hpp"

#include <algorithm>
#include <numeric>

#include "ranking/dense_batch.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

// Fewer people than this do not pay for laying out strips of the graph.
constexpr std::size_t people_for_strips = 64;
// Scored at once where orders above two leave no shortcut.
constexpr std::size_t people_for_rows = 16;

// More directions leave fewer items to be computed exactly; on large graphs they cost more than
// that. Where nothing is computed exactly, half of them do as well there.
std::size_t rank_for(std::size_t items, bool exact) {
  if (items <= 4096) return 32;
  return exact ? 16 : 8;
}

bool needs_subspace(const Branch& branch) {
  return branch.coefficients.size() == 2 && branch.coefficients[1] != 0;
}

}  // namespace

std::vector<Subspace> second_order_subspaces(const FilterPlan& plan,
                                             std::span<const DenseGraph> graphs, bool lengths,
                                             ThreadPool& pool) {
  std::vector<Subspace> out(plan.powers.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    std::vector<std::size_t> values;
    std::vector<double> powers;
    for (const Branch& branch : plan.branches) {
      if (branch.graph != g || !needs_subspace(branch) ||
          std::find(values.begin(), values.end(), branch.values) != values.end()) {
        continue;
      }
      values.push_back(branch.values);
      powers.push_back(plan.powers[branch.values].power);
    }
    auto spaces =
        leading_subspaces(graphs[g], powers,
                          {.rank = rank_for(graphs[g].items(), lengths), .lengths = lengths}, pool);
    for (std::size_t n = 0; n < values.size(); ++n) out[values[n]] = std::move(spaces[n]);
  }
  return out;
}

DenseScorer::DenseScorer(std::shared_ptr<const FilterPlan> plan, ItemOrder order,
                         std::vector<DenseGraph> graphs, bool exact, ThreadPool& pool) {
  graphs_.order = std::move(order);
  graphs_.graphs = std::move(graphs);
  graphs_.exact = exact;
  graphs_.subspaces = second_order_subspaces(*plan, graphs_.graphs, exact, pool);
  graphs_.plan = std::move(plan);
  graphs_.prepare();
}

std::unique_ptr<DenseScorer> DenseScorer::with_fast_solver() const {
  DenseGraphs graphs = graphs_;
  graphs.exact = false;
  return std::unique_ptr<DenseScorer>(new DenseScorer(std::move(graphs)));
}

void DenseScorer::recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const {
  if (graphs_.higher) {
    pool.for_chunks(
        queries.size(), people_for_rows, [&](std::size_t begin, std::size_t end, unsigned) {
          std::vector<float> scores((end - begin) * items());
          score(signals.subspan(begin, end - begin), scores);
          for (std::size_t k = begin; k < end; ++k) {
            lists[k] =
                select_top(queries[k], std::span(scores).subspan((k - begin) * items(), items()));
          }
        });
  } else if (queries.size() >= people_for_strips && !any_boost(queries)) {
    recommend_batch(graphs_, queries, signals, lists, pool);
  } else {
    pool.for_chunks(queries.size(), 1, [&](std::size_t k, std::size_t, unsigned) {
      lists[k] = people_.lend(graphs_)->recommend(queries[k], signals[k]);
    });
  }
}

void DenseScorer::score(Signals signals, std::span<float> scores) const {
  const std::size_t stride = graphs_.stride();
  const std::size_t n = signals.size();
  const bool estimated = !graphs_.exact && !graphs_.higher;
  DensePerson person(graphs_);
  PlacedSignal placed;
  std::vector<float> first(n * stride);
  std::vector<double> rest(n * stride, 0.0);
  std::vector<std::vector<float>> y(graphs_.plan->branches.size());
  std::vector<std::size_t> all(y.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t s = 0; s < n; ++s) {
    placed.set(graphs_, signals[s]);
    person.first_orders(placed, all);
    for (const std::size_t b : all) y[b].insert(y[b].end(), person.y(b).begin(), person.y(b).end());
    for (std::size_t block = 0; block < graphs_.blocks(); ++block) {
      float* const to = first.data() + s * stride + block * kernels::block_width;
      first_of_block(graphs_, person.first_orders_at(block), to);
      if (estimated) add_second_of_block(graphs_, block, placed.z.data(), to);
    }
  }
  std::vector<float> row(stride);
  std::vector<float> next;
  for (std::size_t b = 0; b < y.size() && !estimated; ++b) {
    const Branch& branch = graphs_.branch(b);
    for (std::size_t k = 1; k < branch.coefficients.size(); ++k) {
      next.assign(n * stride, 0.0F);
      for (std::size_t i = 0; i < items(); ++i) {
        graphs_.unpack(branch, i, row.data());
        for (std::size_t s = 0; s < n; ++s) {
          const double value = static_cast<double>(graphs_.scale[branch.values][i]) *
                               row_dot(row.data(), y[b].data() + s * stride, stride);
          rest[s * stride + i] += branch.coefficients[k] * value;
          next[s * stride + i] = static_cast<float>(value);
        }
      }
      y[b].swap(next);
    }
  }
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t i = 0; i < items(); ++i) {
      const std::size_t at = s * stride + i;
      scores[s * items() + graphs_.order.item_at[i]] =
          static_cast<float>(static_cast<double>(first[at]) + rest[at]);
    }
  }
}

GraphScorer::Column DenseScorer::filter_column(const Branch& branch, std::uint32_t item,
                                               Items at) const {
  const std::vector<float>& scale = graphs_.scale[branch.values];
  const std::uint32_t place = graphs_.order.place_of[item];
  std::vector<std::uint32_t> places;
  for (const std::uint32_t j : at) places.push_back(graphs_.order.place_of[j]);
  std::vector<float> row(graphs_.stride());
  graphs_.unpack(branch, place, row.data());
  Column power(row.size());
  for (std::size_t j = 0; j < row.size(); ++j) {
    power[j] = static_cast<double>(row[j]) * static_cast<double>(scale[place]);
  }
  const bool estimated = needs_subspace(branch) && !graphs_.exact && !graphs_.higher;
  const std::span<const double> a = branch.coefficients;
  Column column = filter_column_at(estimated ? a.first(1) : a, std::move(power), items(), places,
                                   [&](std::size_t i, const Column& y) {
                                     graphs_.unpack(branch, i, row.data());
                                     double sum = 0;
                                     for (std::size_t j = 0; j < row.size(); ++j) {
                                       sum += static_cast<double>(row[j]) * y[j];
                                     }
                                     return sum * static_cast<double>(scale[i]);
                                   });
  if (estimated) add_estimated_column(a[1], graphs_.subspace(branch), place, places, column);
  return column;
}

DenseScorer::DenseScorer(std::shared_ptr<const FilterPlan> plan, const Parts& parts,
                         std::size_t items, bool exact) {
  graphs_.exact = exact;
  graphs_.load(std::move(plan), parts, items);
  graphs_.subspaces.resize(graphs_.plan->powers.size());
  for (const Branch& branch : graphs_.plan->branches) {
    Subspace& space = graphs_.subspaces[branch.values];
    if (!needs_subspace(branch) || space.rank > 0) continue;
    space = Subspace::load(parts, "method/subspace" + std::to_string(branch.values), items);
    if (exact && space.lengths.empty()) {
      throw Error(ErrorCode::corrupt, "the model file lacks the lengths of the rows of its graph");
    }
  }
  graphs_.prepare();
}

}  // namespace palate
