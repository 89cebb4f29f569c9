#include "ranking/sparse_person.hpp"

#include <cmath>

#include "graph/tolerances.hpp"

namespace palate {

SparseView::SparseView(const SparseGraphs& graphs) : graphs_(graphs) {
  for (std::size_t b = 0; b < graphs.plan->branches.size(); ++b) {
    if (graphs.plan->branches[b].coefficients.size() == 2) second_.push_back(b);
  }
}

void SparsePerson::project() {
  const auto second = view_.second();
  z_.resize(second.size());
  z_length_.assign(second.size(), 0.0F);
  for (std::size_t n = 0; n < second.size(); ++n) {
    const Branch& branch = graphs_.plan->branches[second[n]];
    const Subspace& space = graphs_.subspaces[branch.values];
    const auto a = static_cast<float>(branch.coefficients[1]);
    z_[n].assign(space.rank, 0.0F);
    for (std::size_t k = 0; k < walk_.rated().size(); ++k) {
      const float x = a * walk_.x(k, second[n]);
      const float* w = space.coordinates.data() + std::size_t{walk_.rated()[k]} * space.rank;
      for (std::size_t r = 0; r < space.rank; ++r) z_[n][r] += x * w[r];
    }
    for (const float z : z_[n]) z_length_[n] += z * z;
    z_length_[n] = std::sqrt(z_length_[n]) * static_cast<float>(1 + tolerance::length);
  }
}

// sum over branches of a_2 (x W) W_i
double SparsePerson::estimated_second_order(std::uint32_t item) const {
  const auto second = view_.second();
  double total = 0;
  for (std::size_t n = 0; n < second.size(); ++n) {
    const Subspace& space = graphs_.subspaces[graphs_.plan->branches[second[n]].values];
    const float* w = space.coordinates.data() + std::size_t{item} * space.rank;
    float sum = 0;
    for (std::size_t r = 0; r < space.rank; ++r) sum += z_[n][r] * w[r];
    total += static_cast<double>(sum);
  }
  return total;
}

void SparsePerson::add_estimates() {
  for (const std::uint32_t i : walk_.reached()) {
    walk_.add_second_order(i, estimated_second_order(i));
  }
}

// The list among the items that the first order reaches, if these are enough. The estimate is
// computed only where |x W| |W_i| says that it may matter.
bool SparsePerson::settle_estimated(const Query& query, std::vector<ScoredItem>& list) {
  const auto second = view_.second();
  kernels::TopK top;
  top.reset(query.top);
  for (const std::uint32_t i : walk_.reached()) {
    if (!walk_.eligible(query, i)) continue;
    if (top.full()) {
      const float total = walk_.first(i);
      float bound = total + tolerance::score * std::abs(total);
      for (std::size_t n = 0; n < second.size(); ++n) {
        bound += z_length_[n] * graphs_.reaches[graphs_.plan->branches[second[n]].values][i];
      }
      if (boosted(bound, boost_of(query, i)) < top.worst()) continue;
    }
    top.offer(boosted(walk_.rounded(i, estimated_second_order(i)), boost_of(query, i)), i);
  }
  // Items that are not reached have score 0: they must not belong into the list.
  if (!top.full() || top.worst() <= 0) return false;
  list = to_list(top);
  return true;
}

void SparsePerson::score(const Signal& signal, std::span<float> scores) {
  walk_.begin(view_, signal);
  if (graphs_.exact) {
    walk_.add_second_orders(view_);
  } else {
    project();
    add_estimates();
  }
  for (std::uint32_t i = 0; i < scores.size(); ++i) scores[i] = walk_.score(i);
  walk_.end();
}

std::vector<ScoredItem> SparsePerson::recommend(const Query& query, const Signal& signal) {
  if (graphs_.exact) return walk_.recommend(view_, query, signal);
  walk_.begin(view_, signal);
  walk_.mark_excluded(query);
  project();
  std::vector<ScoredItem> list;
  if (query.top == 0 || !settle_estimated(query, list)) {
    add_estimates();
    list = walk_.best_of_all(graphs_.items(), query);
  }
  walk_.end();
  return list;
}

}  // namespace palate
