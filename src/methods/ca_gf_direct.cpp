#include "methods/ca_gf_direct.hpp"

#include <algorithm>

#include "methods/select.hpp"

namespace palate {

void SparseSum::add_row(std::span<const std::uint32_t> columns, const float* row, float x) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::uint32_t i = columns[k];
    if (seen_[i] == 0) {
      seen_[i] = 1;
      touched_.push_back(i);
    }
    values_[i] += x * row[k];
  }
}

void SparseSum::add_scaled(const SparseSum& other, float a) {
  for (const std::uint32_t i : other.touched_) {
    if (seen_[i] == 0) {
      seen_[i] = 1;
      touched_.push_back(i);
    }
    values_[i] += a * other.values_[i];
  }
}

void SparseSum::clear() {
  for (const std::uint32_t i : touched_) {
    values_[i] = 0;
    seen_[i] = 0;
  }
  touched_.clear();
}

DirectScorer::DirectScorer(const CaGfGraphs& graphs)
    : graphs_(graphs), total_(graphs.items()), power_(graphs.items()), next_(graphs.items()) {}

const SparseSum& DirectScorer::score(const Signal& signal) {
  total_.clear();
  for (const Branch& branch : graphs_.plan.branches) {
    power_.clear();
    for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
      const float x = signal.at(k, branch.criteria, graphs_.plan.criteria);
      if (x == 0) continue;
      const std::uint32_t j = signal.ratings.items[k];
      power_.add_row(graphs_.columns(branch, j), graphs_.row(branch, j), x);
    }
    for (std::size_t k = 0; k < branch.coefficients.size(); ++k) {
      if (k > 0) {  // x P^(k+1) = (x P^k) P
        next_.clear();
        for (const std::uint32_t j : power_.touched()) {
          next_.add_row(graphs_.columns(branch, j), graphs_.row(branch, j), power_[j]);
        }
        std::swap(power_, next_);
      }
      const auto a = static_cast<float>(branch.coefficients[k]);
      if (a != 0) total_.add_scaled(power_, a);
    }
  }
  return total_;
}

std::vector<ScoredItem> DirectScorer::recommend(const Query& query, const Signal& signal) {
  const SparseSum& scores = score(signal);
  const auto& rated = query.ratings.items;
  const auto eligible = [&](std::uint32_t i) {
    if (!query.allowed.empty() && query.allowed[i] == 0) return false;
    if (!query.exclude_seen) return true;
    const auto found = std::lower_bound(rated.begin(), rated.end(), i);
    return found == rated.end() || *found != i ||
           (query.ratings.present[static_cast<std::size_t>(found - rated.begin())] & 1U) == 0;
  };
  kernels::TopK top;
  top.reset(std::min(query.top, graphs_.items()));
  for (const std::uint32_t i : scores.touched()) {
    if (eligible(i)) top.offer(scores[i], i);
  }
  // Items that nothing leads to have score 0; of these the first `top` are enough.
  std::size_t zeros = 0;
  for (std::uint32_t i = 0; i < graphs_.items() && zeros < query.top; ++i) {
    if (scores.has(i) || !eligible(i)) continue;
    top.offer(0.0F, i);
    ++zeros;
  }
  return to_list(top);
}

double direct_cost(const CaGfGraphs& graphs, const Ratings& ratings) {
  constexpr std::size_t sample = 64;
  const std::size_t step = std::max<std::size_t>(1, ratings.users() / sample);
  double total = 0;
  std::size_t people = 0;
  std::vector<std::uint8_t> reached(graphs.items());
  for (std::size_t u = 0; u < ratings.users(); u += step, ++people) {
    const UserRatings row = ratings.of(static_cast<std::uint32_t>(u));
    for (const Branch& branch : graphs.plan.branches) {
      std::vector<std::uint32_t> at(row.items.begin(), row.items.end());
      for (std::size_t order = branch.coefficients.size(); order > 0; --order) {
        std::fill(reached.begin(), reached.end(), 0);
        for (const std::uint32_t j : at) {
          const auto columns = graphs.columns(branch, j);
          total += static_cast<double>(columns.size());
          if (order > 1) {
            for (const std::uint32_t i : columns) reached[i] = 1;
          }
        }
        at.clear();
        for (std::uint32_t i = 0; i < reached.size() && order > 1; ++i) {
          if (reached[i] != 0) at.push_back(i);
        }
      }
    }
  }
  return people == 0 ? 0.0 : total / static_cast<double>(people);
}

}  // namespace palate
