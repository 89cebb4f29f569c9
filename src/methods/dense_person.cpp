#include "methods/dense_person.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/sparse_vector.hpp"
#include "kernels/strip.hpp"
#include "methods/select.hpp"

namespace palate {
namespace {

using kernels::strip_width;

constexpr float never = -std::numeric_limits<float>::infinity();

}  // namespace

DensePerson::DensePerson(const DenseGraphs& graphs)
    : graphs_(graphs),
      y_(graphs.plan->branches.size()),
      odd_(graphs.stride()),
      first_(graphs.stride()),
      estimate_(graphs.stride()),
      radius_(graphs.stride()),
      row_(graphs.stride()) {}

// Rows of even and of odd number are added up apart, as kernels::combine_rows does.
void DensePerson::first_order(const PlacedSignal& signal, std::size_t b, float* y) {
  const Branch& branch = graphs_.branch(b);
  const DenseGraph& graph = graphs_.graph(branch);
  std::fill_n(y, graphs_.stride(), 0.0F);
  std::fill(odd_.begin(), odd_.end(), 0.0F);
  for (std::size_t k = 0; k < signal.places.size(); ++k) {
    const std::uint32_t place = signal.places[k];
    kernels::add_power(graph.row(place), graph.blocks(), graph.shift(), graphs_.power(branch),
                       signal.x[b][k] * graphs_.scale[branch.values][place],
                       k % 2 == 0 ? y : odd_.data());
  }
  for (std::size_t i = 0; i < odd_.size(); ++i) y[i] += odd_[i];
}

void DensePerson::estimate(const PlacedSignal& signal) {
  std::vector<const float*> y(graphs_.first.size());
  for (std::size_t block = 0; block < graphs_.blocks(); ++block) {
    const std::size_t at = block * strip_width;
    for (std::size_t n = 0; n < y.size(); ++n) y[n] = y_[graphs_.first[n]].data() + at;
    estimate_block(graphs_, block, y, signal.z.data(), first_.data() + at, estimate_.data() + at);
  }
}

void DensePerson::find_candidates(std::size_t top) {
  const std::size_t items = graphs_.items();
  for (std::size_t i = 0; i < items; ++i) {
    radius_[i] = 2e-6F * (std::abs(first_[i]) + std::abs(estimate_[i] - first_[i]));
  }
  for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
    const Subspace& space = graphs_.subspace(graphs_.branch(graphs_.second[m]));
    const float* q = space.outside.data();
    const float* p = space.lengths.data();
    const Radius r = radii_[m];
    for (std::size_t i = 0; i < items; ++i) radius_[i] += r.outside * q[i] + r.slack * p[i];
  }
  kernels::TopK lower;
  lower.reset(std::min(top, items));
  for (std::size_t i = 0; i < items; ++i) {
    const float low = estimate_[i] - radius_[i];
    if (low > never && !(lower.full() && low < lower.worst())) {
      lower.offer(low, static_cast<std::uint32_t>(i));
    }
  }
  candidates_.clear();
  const auto best = lower.sorted();
  if (best.empty()) return;
  const float reach = best.back().first;
  for (std::size_t i = 0; i < items; ++i) {
    const float bound = estimate_[i] + radius_[i];
    if (bound >= reach) candidates_.push_back({bound, static_cast<std::uint32_t>(i)});
  }
}

// sum over branches of a_2 y p_i
double DensePerson::second_order(std::size_t place) {
  double total = 0;
  for (const std::size_t b : graphs_.second) {
    const Branch& branch = graphs_.branch(b);
    graphs_.unpack(branch, place, row_.data());
    total += branch.coefficients[1] * static_cast<double>(graphs_.scale[branch.values][place]) *
             row_dot(row_.data(), y_[b].data(), row_.size());
  }
  return total;
}

std::vector<ScoredItem> DensePerson::recommend(const Query& query, const Signal& signal) {
  if (query.top == 0) return {};
  signal_.set(graphs_, signal);
  for (std::size_t b = 0; b < y_.size(); ++b) {
    const bool exact_second = graphs_.exact && graphs_.branch(b).coefficients.size() == 2;
    if (graphs_.branch(b).coefficients[0] == 0 && !exact_second) continue;
    y_[b].resize(graphs_.stride());
    first_order(signal_, b, y_[b].data());
  }
  estimate(signal_);
  for (std::size_t i = graphs_.items(); i < estimate_.size(); ++i) estimate_[i] = never;
  mask_ineligible(query, graphs_.items(), [&](std::size_t item) -> float& {
    return estimate_[graphs_.order.place_of[item]];
  });
  kernels::TopK top;
  top.reset(std::min(query.top, graphs_.items()));
  if (!graphs_.exact || graphs_.second.empty()) {
    for (std::size_t i = 0; i < graphs_.items(); ++i) {
      if (estimate_[i] > never && !(top.full() && estimate_[i] < top.worst())) {
        top.offer(estimate_[i], graphs_.order.item_at[i]);
      }
    }
    return to_list(top);
  }
  radii_.clear();
  for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
    const std::size_t b = graphs_.second[m];
    radii_.push_back(
        radius_of(graphs_.branch(b).coefficients[1], std::sqrt(kernels::square_sum(y_[b])),
                  std::sqrt(kernels::square_sum(std::span(signal_.z).subspan(
                      graphs_.direction_of[m], graphs_.subspace(graphs_.branch(b)).rank)))));
  }
  find_candidates(query.top);
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound > b.bound || (a.bound == b.bound && a.place < b.place);
  });
  for (const Candidate& one : candidates_) {
    if (top.full() && one.bound < top.worst()) break;
    const double second = second_order(one.place);
    top.offer(static_cast<float>(static_cast<double>(first_[one.place]) + second),
              graphs_.order.item_at[one.place]);
  }
  return to_list(top);
}

}  // namespace palate
