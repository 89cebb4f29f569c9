#include "methods/sparse_person.hpp"

#include <algorithm>
#include <cmath>

#include "methods/select.hpp"

namespace palate {

SparsePerson::SparsePerson(const SparseGraphs& graphs)
    : graphs_(graphs),
      total_(graphs.items()),
      second_(graphs.items()),
      power_(graphs.items()),
      next_(graphs.items()) {
  for (std::size_t b = 0; b < graphs.plan->branches.size(); ++b) {
    if (graphs.plan->branches[b].coefficients.size() == 2) {
      of_.push_back(b);
      y_.emplace_back(graphs.items());
    }
  }
}

// total = sum of a_1 x P over the branches, and y = x P for those of second order.
void SparsePerson::first_orders(const Signal& signal) {
  total_.clear();
  std::size_t n = 0;
  for (std::size_t b = 0; b < graphs_.plan->branches.size(); ++b) {
    const Branch& branch = graphs_.plan->branches[b];
    const bool second = branch.coefficients.size() == 2;
    SparseSum<float>& y = second ? y_[n++] : power_;
    y.clear();
    for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
      const float x = signal.at(k, branch.criteria, graphs_.plan->criteria);
      if (x == 0) continue;
      const std::uint32_t j = signal.ratings.items[k];
      y.add_row(graphs_.columns(branch, j), graphs_.row(branch, j), x);
    }
    const auto a = static_cast<float>(branch.coefficients[0]);
    total_.add_scaled(y, a);
    if (branch.coefficients.size() > 2) higher_orders(b);
  }
}

// total += a_k x P^k for k above 1, given x P.
void SparsePerson::higher_orders(std::size_t b) {
  const Branch& branch = graphs_.plan->branches[b];
  for (std::size_t k = 1; k < branch.coefficients.size(); ++k) {
    next_.clear();
    for (const std::uint32_t j : power_.touched()) {
      next_.add_row(graphs_.columns(branch, j), graphs_.row(branch, j), power_[j]);
    }
    std::swap(power_, next_);
    total_.add_scaled(power_, static_cast<float>(branch.coefficients[k]));
  }
}

// second = sum over branches of a_2 y P: everything within two steps. Double precision makes the
// order of the sums immaterial, so that a score is the same whether it comes from here or from
// second_order().
void SparsePerson::second_orders() {
  second_.clear();
  for (std::size_t n = 0; n < y_.size(); ++n) {
    const Branch& branch = graphs_.plan->branches[of_[n]];
    for (const std::uint32_t j : y_[n].touched()) {
      second_.add_row(graphs_.columns(branch, j), graphs_.row(branch, j),
                      branch.coefficients[1] * static_cast<double>(y_[n][j]));
    }
  }
}

// The same for one item.
double SparsePerson::second_order(std::uint32_t item) const {
  double total = 0;
  for (std::size_t n = 0; n < y_.size(); ++n) {
    const Branch& branch = graphs_.plan->branches[of_[n]];
    const auto columns = graphs_.columns(branch, item);
    const float* row = graphs_.row(branch, item);
    double sum = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      sum += static_cast<double>(row[k]) * static_cast<double>(y_[n][columns[k]]);
    }
    total += branch.coefficients[1] * sum;
  }
  return total;
}

void SparsePerson::score(const Signal& signal, std::span<float> scores) {
  first_orders(signal);
  second_orders();
  for (std::uint32_t i = 0; i < scores.size(); ++i) scores[i] = rounded(i, second_[i]);
}

namespace {

bool eligible(const Query& query, std::uint32_t i) {
  if (!query.allowed.empty() && query.allowed[i] == 0) return false;
  if (!query.exclude_seen) return true;
  const auto& rated = query.ratings.items;
  const auto found = std::lower_bound(rated.begin(), rated.end(), i);
  return found == rated.end() || *found != i ||
         (query.ratings.present[static_cast<std::size_t>(found - rated.begin())] & 1U) == 0;
}

}  // namespace

// Whether the bounds show that the list holds none but items that the first order reaches; if so,
// the list.
bool SparsePerson::settle(const Query& query, std::vector<ScoredItem>& list) {
  std::vector<double> reach;  // |a_2| |y| of each branch, with room for rounding
  double elsewhere = 0;       // the most that an item can score that the first order does not reach
  for (std::size_t n = 0; n < y_.size(); ++n) {
    const Branch& branch = graphs_.plan->branches[of_[n]];
    double squares = 0;
    for (const std::uint32_t j : y_[n].touched()) {
      squares += static_cast<double>(y_[n][j]) * static_cast<double>(y_[n][j]);
    }
    reach.push_back(std::abs(branch.coefficients[1]) * std::sqrt(squares) * (1 + 1e-5));
    elsewhere += reach.back() * static_cast<double>(graphs_.longest[branch.values]);
  }
  kernels::TopK lower;
  lower.reset(query.top);
  std::vector<kernels::TopK::Entry> candidates;  // upper bounds
  for (const std::uint32_t i : total_.touched()) {
    if (!eligible(query, i)) continue;
    double radius = 1e-5 * std::abs(static_cast<double>(total_[i]));
    for (std::size_t n = 0; n < y_.size(); ++n) {
      const std::size_t v = graphs_.plan->branches[of_[n]].values;
      radius += reach[n] * static_cast<double>(graphs_.lengths[v][i]);
    }
    const double score = static_cast<double>(total_[i]);
    lower.offer(static_cast<float>(score - radius), i);
    candidates.emplace_back(static_cast<float>(score + radius), i);
  }
  if (!lower.full() || static_cast<double>(lower.worst()) <= elsewhere) return false;
  const float least = lower.worst();
  kernels::TopK top;
  top.reset(query.top);
  std::erase_if(candidates, [least](const auto& c) { return c.first < least; });
  std::sort(candidates.begin(), candidates.end(), kernels::TopK::better);
  for (const auto& [bound, item] : candidates) {
    if (top.full() && bound < top.worst()) break;
    top.offer(rounded(item, second_order(item)), item);
  }
  list = to_list(top);
  return true;
}

std::vector<ScoredItem> SparsePerson::recommend(const Query& query, const Signal& signal) {
  first_orders(signal);
  std::vector<ScoredItem> list;
  if (query.top > 0 && settle(query, list)) return list;
  second_orders();
  kernels::TopK top;
  top.reset(std::min(query.top, graphs_.items()));
  const auto offer = [&](std::uint32_t i) {
    if (eligible(query, i)) top.offer(rounded(i, second_[i]), i);
  };
  for (const std::uint32_t i : total_.touched()) offer(i);
  for (const std::uint32_t i : second_.touched()) {
    if (!total_.has(i)) offer(i);
  }
  // Items that nothing leads to have score 0; of these the first `top` are enough.
  std::size_t zeros = 0;
  for (std::uint32_t i = 0; i < graphs_.items() && zeros < query.top; ++i) {
    if (total_.has(i) || second_.has(i) || !eligible(query, i)) continue;
    top.offer(0.0F, i);
    ++zeros;
  }
  return to_list(top);
}

}  // namespace palate
