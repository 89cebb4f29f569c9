#include "ranking/sparse_person.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ranking/select.hpp"

namespace palate {

SparsePerson::SparsePerson(const SparseGraphs& graphs)
    : graphs_(graphs),
      branches_(graphs.plan->branches.size()),
      by_graph_(graphs.patterns.size()),
      second_by_graph_(graphs.patterns.size()),
      flags_(graphs.items(), 0),
      y_(graphs.items() * branches_, 0.0F),
      own_(graphs.items(), 0.0F),
      second_(graphs.items()),
      higher_sum_(0),
      power_(0),
      next_(0) {
  for (std::size_t b = 0; b < branches_; ++b) {
    const Branch& branch = graphs.plan->branches[b];
    const std::size_t order = branch.coefficients.size();
    a1_.push_back(static_cast<float>(branch.coefficients[0]));
    a2_.push_back(order == 2 ? static_cast<float>(branch.coefficients[1]) : 0.0F);
    by_graph_[branch.graph].push_back(b);
    if (order == 2) {
      second_by_graph_[branch.graph].push_back(b);
      second_branches_.push_back(b);
    }
    higher_ |= order > 2;
  }
  rest_.resize(second_branches_.size());
  if (higher_) {
    higher_sum_ = SparseSum<float>(graphs.items());
    power_ = SparseSum<float>(graphs.items());
    next_ = SparseSum<float>(graphs.items());
  }
}

void SparsePerson::begin(const Signal& signal) {
  items_.assign(signal.ratings.items.begin(), signal.ratings.items.end());
  x_.resize(items_.size() * branches_);
  for (std::size_t k = 0; k < items_.size(); ++k) {
    for (std::size_t b = 0; b < branches_; ++b) {
      x_[k * branches_ + b] =
          signal.at(k, graphs_.plan->branches[b].criteria, graphs_.plan->criteria);
    }
    flags_[items_[k]] |= own;
  }
  marked_ = items_;
  first_orders();
}

void SparsePerson::mark_excluded(const Query& query) {
  if (!query.exclude_seen) return;
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    if ((query.ratings.present[k] & 1U) != 0) flags_[query.ratings.items[k]] |= excluded;
  }
}

void SparsePerson::end() {
  for (const std::uint32_t i : marked_) flags_[i] = 0;
  for (const std::uint32_t i : reached_) {
    flags_[i] = 0;
    own_[i] = 0;
    std::fill_n(y_.data() + i * branches_, branches_, 0.0F);
  }
  reached_.clear();
  second_.clear();
  if (higher_) higher_sum_.clear();
}

// y = x P for every branch. Branches of one graph share the way through its rows.
void SparsePerson::first_orders() {
  for (std::size_t g = 0; g < by_graph_.size(); ++g) {
    const std::vector<std::size_t>& mine = by_graph_[g];
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const std::uint32_t j = items_[k];
      const auto columns = graphs_.patterns[g].row(j);
      for (const std::uint32_t i : columns) {
        if ((flags_[i] & reached) == 0) {
          flags_[i] |= reached;
          reached_.push_back(i);
        }
      }
      for (const std::size_t b : mine) {
        const float x = x_[k * branches_ + b];
        if (x == 0) continue;
        const float* row = graphs_.row(graphs_.plan->branches[b], j);
        float* y = y_.data() + b;
        for (std::size_t n = 0; n < columns.size(); ++n) y[columns[n] * branches_] += x * row[n];
      }
    }
  }
  for (std::size_t b = 0; b < branches_ && higher_; ++b) {
    if (graphs_.plan->branches[b].coefficients.size() > 2) higher_orders(b);
  }
}

// higher_sum += a_k x P^k for k above 1, given x P.
void SparsePerson::higher_orders(std::size_t b) {
  const Branch& branch = graphs_.plan->branches[b];
  power_.clear();
  for (const std::uint32_t i : reached_) power_.add(i, y_[i * branches_ + b]);
  for (std::size_t k = 1; k < branch.coefficients.size(); ++k) {
    next_.clear();
    for (const std::uint32_t j : power_.touched()) {
      next_.add_row(graphs_.columns(branch, j), graphs_.row(branch, j), power_[j]);
    }
    std::swap(power_, next_);
    higher_sum_.add_scaled(power_, static_cast<float>(branch.coefficients[k]));
  }
}

float SparsePerson::first(std::uint32_t item) const noexcept {
  const float* y = y_.data() + item * branches_;
  float sum = higher_ ? higher_sum_[item] : 0.0F;
  for (std::size_t b = 0; b < branches_; ++b) sum += a1_[b] * y[b];
  return sum;
}

// second = sum over branches of a_2 y P: everything within two steps. Double precision makes the
// order of the sums immaterial, so that a score is the same whether it comes from here or from
// second_order().
void SparsePerson::second_orders() {
  for (std::size_t g = 0; g < second_by_graph_.size(); ++g) {
    for (const std::size_t b : second_by_graph_[g]) {
      const Branch& branch = graphs_.plan->branches[b];
      for (const std::uint32_t j : reached_) {
        const double y = static_cast<double>(y_[j * branches_ + b]);
        if (y != 0) {
          second_.add_row(graphs_.columns(branch, j), graphs_.row(branch, j),
                          branch.coefficients[1] * y);
        }
      }
    }
  }
}

// The same for one item.
double SparsePerson::second_order(std::uint32_t item) const {
  double total = 0;
  for (std::size_t g = 0; g < second_by_graph_.size(); ++g) {
    const auto columns = graphs_.patterns[g].row(item);
    for (const std::size_t b : second_by_graph_[g]) {
      const Branch& branch = graphs_.plan->branches[b];
      const float* row = graphs_.row(branch, item);
      const float* y = y_.data() + b;
      double sum = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        sum += static_cast<double>(row[k]) * static_cast<double>(y[columns[k] * branches_]);
      }
      total += branch.coefficients[1] * sum;
    }
  }
  return total;
}

// own_[i] = sum over branches and own items j of a_2 y_j P_ij.
void SparsePerson::own_part() {
  for (std::size_t g = 0; g < second_by_graph_.size(); ++g) {
    const std::vector<std::size_t>& mine = second_by_graph_[g];
    if (mine.empty()) continue;
    for (const std::uint32_t j : items_) {
      const auto columns = graphs_.patterns[g].row(j);
      for (const std::size_t b : mine) {
        const float y = a2_[b] * y_[j * branches_ + b];
        const float* row = graphs_.row(graphs_.plan->branches[b], j);
        for (std::size_t n = 0; n < columns.size(); ++n) own_[columns[n]] += y * row[n];
      }
    }
  }
}

void SparsePerson::project() {
  z_.resize(branches_);
  z_length_.assign(branches_, 0.0F);
  for (std::size_t b = 0; b < branches_; ++b) {
    if (a2_[b] == 0) continue;
    const Subspace& space = graphs_.subspaces[graphs_.plan->branches[b].values];
    z_[b].assign(space.rank, 0.0F);
    for (std::size_t k = 0; k < items_.size(); ++k) {
      const float x = a2_[b] * x_[k * branches_ + b];
      const float* w = space.coordinates.data() + std::size_t{items_[k]} * space.rank;
      for (std::size_t r = 0; r < space.rank; ++r) z_[b][r] += x * w[r];
    }
    for (const float z : z_[b]) z_length_[b] += z * z;
    z_length_[b] = std::sqrt(z_length_[b]) * (1 + 1e-5F);
  }
}

// sum over branches of a_2 (x W) W_i
double SparsePerson::estimated_second_order(std::uint32_t item) const {
  double total = 0;
  for (std::size_t b = 0; b < branches_; ++b) {
    if (a2_[b] == 0) continue;
    const Subspace& space = graphs_.subspaces[graphs_.plan->branches[b].values];
    const float* w = space.coordinates.data() + std::size_t{item} * space.rank;
    float sum = 0;
    for (std::size_t r = 0; r < space.rank; ++r) sum += z_[b][r] * w[r];
    total += static_cast<double>(sum);
  }
  return total;
}

// The list among the items that the first order reaches, if these are enough. The estimate is
// computed only where |x W| |W_i| says that it may matter.
bool SparsePerson::settle_estimated(const Query& query, std::vector<ScoredItem>& list) {
  kernels::TopK top;
  top.reset(query.top);
  for (const std::uint32_t i : reached_) {
    if (!eligible(query, i)) continue;
    if (top.full()) {
      const float total = first(i);
      float bound = total + 1e-5F * std::abs(total);
      for (std::size_t b = 0; b < branches_; ++b) {
        if (a2_[b] != 0) {
          bound += z_length_[b] * graphs_.reaches[graphs_.plan->branches[b].values][i];
        }
      }
      if (bound < top.worst()) continue;
    }
    top.offer(rounded(i, estimated_second_order(i)), i);
  }
  // Items that are not reached have score 0: they must not belong into the list.
  if (!top.full() || top.worst() <= 0) return false;
  list = to_list(top);
  return true;
}

void SparsePerson::score(const Signal& signal, std::span<float> scores) {
  begin(signal);
  if (graphs_.exact) {
    second_orders();
  } else {
    project();
    for (const std::uint32_t i : reached_) second_.add(i, estimated_second_order(i));
  }
  for (std::uint32_t i = 0; i < scores.size(); ++i) scores[i] = rounded(i, second_[i]);
  end();
}

// rest_[n] = |a_2| |y'| of the n-th branch of second order, with room for rounding, y' being y
// without the person's own items. Returns the most that an item can score that the first order does
// not reach.
double SparsePerson::bound_rest() {
  std::array<double, max_criteria> squares{};
  for (const std::uint32_t i : reached_) {
    if ((flags_[i] & own) != 0) continue;
    const float* y = y_.data() + i * branches_;
    for (std::size_t n = 0; n < second_branches_.size(); ++n) {
      const auto mine = static_cast<double>(y[second_branches_[n]]);
      squares[n] += mine * mine;
    }
  }
  double elsewhere = 0;
  for (std::size_t n = 0; n < second_branches_.size(); ++n) {
    const std::size_t b = second_branches_[n];
    const double rest = std::abs(static_cast<double>(a2_[b])) * std::sqrt(squares[n]) * (1 + 1e-5);
    rest_[n] = static_cast<float>(rest);
    elsewhere += rest * static_cast<double>(graphs_.longest[graphs_.plan->branches[b].values]);
  }
  return elsewhere;
}

// Whether the bounds show that the list holds none but items that the first order reaches; if so,
// the list.
bool SparsePerson::settle(const Query& query, std::vector<ScoredItem>& list) {
  if (higher_) return false;
  const double elsewhere = bound_rest();
  own_part();
  kernels::TopK lower;
  lower.reset(query.top);
  candidates_.clear();
  const std::size_t terms = second_branches_.size();
  for (const std::uint32_t i : reached_) {
    if (!eligible(query, i)) continue;
    const float total = first(i);
    float estimate = own_[i];
    float size = std::abs(estimate);
    float radius = 0;
    const float* y = y_.data() + i * branches_;
    const SparseGraphs::Near* near = graphs_.near.data() + i * terms;
    const bool others = (flags_[i] & own) == 0;
    for (std::size_t n = 0; n < terms; ++n) {
      const std::size_t b = second_branches_[n];
      const float self = others ? a2_[b] * y[b] * near[n].diagonal : 0.0F;
      estimate += self;
      size += std::abs(self);
      radius += rest_[n] * near[n].length;
    }
    radius += 1e-5F * (std::abs(total) + size);
    estimate += total;
    // Below the worst place so far, it will not be among the best.
    if (lower.full() && estimate + radius < lower.worst()) continue;
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
    top.offer(rounded(one.item, second_order(one.item)), one.item);
  }
  list = to_list(top);
  return true;
}

std::vector<ScoredItem> SparsePerson::recommend(const Query& query, const Signal& signal) {
  begin(signal);
  mark_excluded(query);
  std::vector<ScoredItem> list;
  if (!graphs_.exact) project();
  if (query.top > 0 && (graphs_.exact ? settle(query, list) : settle_estimated(query, list))) {
    end();
    return list;
  }
  if (graphs_.exact) {
    second_orders();
  } else {
    for (const std::uint32_t i : reached_) second_.add(i, estimated_second_order(i));
  }
  kernels::TopK top;
  top.reset(std::min(query.top, graphs_.items()));
  const auto offer = [&](std::uint32_t i) {
    if (eligible(query, i)) top.offer(rounded(i, second_[i]), i);
  };
  const auto known = [&](std::uint32_t i) {
    return (flags_[i] & reached) != 0 || second_.has(i) || (higher_ && higher_sum_.has(i));
  };
  for (const std::uint32_t i : reached_) offer(i);
  for (const std::uint32_t i : second_.touched()) {
    if ((flags_[i] & reached) == 0) offer(i);
  }
  if (higher_) {
    for (const std::uint32_t i : higher_sum_.touched()) {
      if ((flags_[i] & reached) == 0 && !second_.has(i)) offer(i);
    }
  }
  // Items that nothing leads to have score 0; of these the first `top` are enough.
  std::size_t zeros = 0;
  for (std::uint32_t i = 0; i < graphs_.items() && zeros < query.top; ++i) {
    if (known(i) || !eligible(query, i)) continue;
    top.offer(0.0F, i);
    ++zeros;
  }
  list = to_list(top);
  end();
  return list;
}

}  // namespace palate
