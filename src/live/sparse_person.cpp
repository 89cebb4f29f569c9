#include "live/sparse_person.hpp"

#include <algorithm>
#include <cmath>

#include "ranking/select.hpp"

namespace palate::live {
namespace {

const Branch& branch_of(const State& state, std::size_t b) { return state.base->plan->branches[b]; }

double a2(const State& state, std::size_t b) { return branch_of(state, b).coefficients[1]; }

}  // namespace

// y += x times a row of P_f.
void SparsePerson::add_row(const State& state, std::size_t b, std::uint32_t from, double x) {
  const Branch& branch = branch_of(state, b);
  const Row& row = state.links->graphs[branch.graph].rows[from];
  const float* values = reader_.sparse_values(state, branch, from);
  const auto factor = static_cast<float>(x * scale_of(state, branch, from));
  for (std::size_t k = 0; k < row.size; ++k) {
    const std::uint32_t i = row.columns[k];
    if ((flags_[i] & reached) == 0) {
      flags_[i] |= reached;
      reached_.push_back(i);
    }
    y_[b][i] += factor * values[k];
  }
}

void SparsePerson::begin(const State& state, const Query& query, const Signal& signal) {
  if (flags_.size() < state.items() || y_.size() != state.base->plan->branches.size()) {
    const std::size_t room = state.items() + state.items() / 8;  // for items to come
    flags_.assign(room, 0);
    y_.assign(state.base->plan->branches.size(), std::vector<float>(room, 0.0F));
    own_.assign(room, 0.0F);
    second_ = SparseSum<double>(room);
  }
  items_.assign(signal.ratings.items.begin(), signal.ratings.items.end());
  for (std::size_t k = 0; k < items_.size(); ++k) {
    flags_[items_[k]] |= own;
    if (query.exclude_seen && (query.ratings.present[k] & 1U) != 0) flags_[items_[k]] |= excluded;
  }
  for (std::size_t k = 0; k < items_.size(); ++k) {
    for (std::size_t b = 0; b < y_.size(); ++b) {
      const float x = signal.at(k, branch_of(state, b).criteria, state.base->plan->criteria);
      if (x != 0) add_row(state, b, items_[k], static_cast<double>(x));
    }
  }
}

void SparsePerson::end() {
  for (const std::uint32_t i : items_) flags_[i] = 0;
  for (const std::uint32_t i : reached_) {
    flags_[i] = 0;
    own_[i] = 0;
    for (auto& y : y_) y[i] = 0;
  }
  reached_.clear();
  second_.clear();
}

float SparsePerson::first(const State& state, std::uint32_t item) const {
  float sum = 0;
  for (const std::size_t b : state.base->first) {
    sum += static_cast<float>(branch_of(state, b).coefficients[0]) * y_[b][item];
  }
  return sum;
}

double SparsePerson::second(const State& state, std::uint32_t item) {
  double sum = 0;
  for (const std::size_t b : state.base->second) {
    sum += a2(state, b) * reader_.dot(state, branch_of(state, b), item, y_[b].data());
  }
  return sum;
}

// own_[i] = sum over second branches and own items j of a_2 y_j P_ij.
void SparsePerson::own_part(const State& state) {
  for (const std::size_t b : state.base->second) {
    const Branch& branch = branch_of(state, b);
    for (const std::uint32_t j : items_) {
      const auto y = static_cast<double>(y_[b][j]);
      if (y == 0) continue;
      const Row& row = state.links->graphs[branch.graph].rows[j];
      const float* values = reader_.sparse_values(state, branch, j);
      const auto factor = static_cast<float>(a2(state, b) * y * scale_of(state, branch, j));
      for (std::size_t k = 0; k < row.size; ++k) own_[row.columns[k]] += factor * values[k];
    }
  }
}

// Whether the bounds show that the list holds none but items that the first order reaches; if so,
// the list.
bool SparsePerson::settle(const State& state, const Query& query, std::vector<ScoredItem>& list) {
  struct Reach {
    std::size_t branch;
    double a;
    float rest;  // |a_2| |v'|, with room for rounding
    const Bounds* bounds;
  };
  std::vector<Reach> reach;
  double elsewhere = 0;  // the most that an item can score that the first order does not reach
  for (const std::size_t b : state.base->second) {
    const Bounds& bounds = state.links->bounds[branch_of(state, b).values];
    double squares = 0;
    for (const std::uint32_t i : reached_) {
      if ((flags_[i] & own) != 0) continue;
      const double v = static_cast<double>(y_[b][i]) * static_cast<double>((*bounds.ratio)[i]);
      squares += v * v;
    }
    const double rest = std::abs(a2(state, b)) * std::sqrt(squares) * (1 + 1e-5);
    reach.push_back({b, a2(state, b), static_cast<float>(rest), &bounds});
    elsewhere += rest * static_cast<double>(bounds.longest) * (1 + 1e-5);
  }
  own_part(state);
  kernels::TopK lower;
  lower.reset(query.top);
  candidates_.clear();
  for (const std::uint32_t i : reached_) {
    if (!eligible(query, i)) continue;
    const float total = first(state, i);
    float estimate = own_[i];
    float size = std::abs(estimate);
    float radius = 0;
    for (const Reach& one : reach) {
      const BoundBlock& block = one.bounds->blocks[i / block_width];
      const float ratio = (*one.bounds->ratio)[i];
      if ((flags_[i] & own) == 0) {
        const float self = static_cast<float>(one.a) * y_[one.branch][i] * ratio * ratio *
                           block.diagonal[i % block_width];
        estimate += self;
        size += std::abs(self);
      }
      radius += one.rest * ratio * block.outside[i % block_width];
    }
    radius += 2e-5F * (std::abs(total) + size);
    estimate += total;
    const float low = estimate - radius;
    if (!(lower.full() && low < lower.worst())) lower.offer(low, i);
    candidates_.push_back({estimate + radius, i});
  }
  if (!lower.full() || static_cast<double>(lower.worst()) <= elsewhere) return false;
  const float least = lower.worst();
  std::erase_if(candidates_, [least](const Candidate& c) { return c.bound < least; });
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound > b.bound || (a.bound == b.bound && a.item < b.item);
  });
  kernels::TopK top;
  top.reset(query.top);
  for (const Candidate& one : candidates_) {
    if (top.full() && one.bound < top.worst()) break;
    top.offer(
        static_cast<float>(static_cast<double>(first(state, one.item)) + second(state, one.item)),
        one.item);
  }
  list = to_list(top);
  return true;
}

// All items within two steps, and of the others, whose score is 0, the first few.
std::vector<ScoredItem> SparsePerson::visit_all(const State& state, const Query& query) {
  for (const std::size_t b : state.base->second) {
    const Branch& branch = branch_of(state, b);
    for (const std::uint32_t j : reached_) {
      const auto y = static_cast<double>(y_[b][j]);
      if (y == 0) continue;
      const Row& row = state.links->graphs[branch.graph].rows[j];
      second_.add_row({row.columns, row.size}, reader_.sparse_values(state, branch, j),
                      a2(state, b) * y * scale_of(state, branch, j));
    }
  }
  kernels::TopK top;
  top.reset(std::min(query.top, state.items()));
  const auto offer = [&](std::uint32_t i) {
    if (!eligible(query, i)) return;
    top.offer(static_cast<float>(static_cast<double>(first(state, i)) + second_[i]), i);
  };
  for (const std::uint32_t i : reached_) offer(i);
  for (const std::uint32_t i : second_.touched()) {
    if ((flags_[i] & reached) == 0) offer(i);
  }
  std::size_t zeros = 0;
  for (std::uint32_t i = 0; i < state.items() && zeros < query.top; ++i) {
    if ((flags_[i] & reached) != 0 || second_.has(i) || !eligible(query, i)) continue;
    top.offer(0.0F, i);
    ++zeros;
  }
  return to_list(top);
}

std::vector<ScoredItem> SparsePerson::recommend(const State& state, const Query& query,
                                                const Signal& signal) {
  if (query.top == 0) return {};
  begin(state, query, signal);
  std::vector<ScoredItem> list;
  if (!settle(state, query, list)) list = visit_all(state, query);
  end();
  return list;
}

}  // namespace palate::live
