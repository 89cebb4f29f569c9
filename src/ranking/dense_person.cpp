#include "ranking/dense_person.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/dense/square_sum.hpp"
#include "kernels/dense/strip.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

using kernels::strip_width;

constexpr float no_estimate = -std::numeric_limits<float>::infinity();
constexpr float lowest = std::numeric_limits<float>::lowest();

}  // namespace

DensePerson::DensePerson(const DenseGraphs& graphs)
    : graphs_(graphs),
      y_(graphs.plan->branches.size()),
      first_(graphs.stride()),
      estimate_(graphs.stride()),
      radius_(graphs.stride()),
      upper_(graphs.stride()) {}

// Branches of one graph share the way through its rows.
void DensePerson::first_orders(const PlacedSignal& signal, std::span<const std::size_t> branches) {
  for (const std::size_t b : branches) y_[b].assign(graphs_.stride(), 0.0F);
  std::vector<kernels::PowerTerm> terms;
  std::vector<kernels::PowerTerm> next_terms;
  for (std::size_t g = 0; g < graphs_.graphs.size(); ++g) {
    const DenseGraph& graph = graphs_.graphs[g];
    const auto set_terms = [&](std::size_t k, std::vector<kernels::PowerTerm>& some) {
      some.clear();
      for (const std::size_t b : branches) {
        const Branch& branch = graphs_.branch(b);
        if (branch.graph != g) continue;
        some.push_back({graphs_.power(branch),
                        signal.x[b][k] * graphs_.scale[branch.values][signal.places[k]],
                        y_[b].data()});
      }
    };
    std::size_t k = 0;
    for (; k + 2 <= signal.places.size(); k += 2) {
      set_terms(k, terms);
      set_terms(k + 1, next_terms);
      kernels::add_powers(graph.row(signal.places[k]), graph.row(signal.places[k + 1]),
                          graph.blocks(), graph.shift(), terms, next_terms.data());
    }
    if (k == signal.places.size()) continue;
    set_terms(k, terms);
    kernels::add_powers(graph.row(signal.places[k]), graph.blocks(), graph.shift(), terms);
  }
}

void DensePerson::estimate(const PlacedSignal& signal) {
  std::vector<const float*> y(graphs_.first.size());
  for (std::size_t block = 0; block < graphs_.blocks(); ++block) {
    const std::size_t at = block * strip_width;
    for (std::size_t n = 0; n < y.size(); ++n) y[n] = y_[graphs_.first[n]].data() + at;
    estimate_block(graphs_, block, y, signal.z.data(), first_.data() + at, estimate_.data() + at);
  }
}

// Lower bounds of the best so far decide which blocks are looked at: W is long, and what the
// directions add to an item is at most |z| |W_i|.
void DensePerson::look(std::size_t top) {
  const auto z_length = static_cast<float>(std::sqrt(kernels::square_sum(signal_.z)));
  kernels::TopK lower;
  lower.reset(std::min(top, graphs_.items()));
  std::vector<kernels::RadiusTerm> terms(radii_.size());
  std::vector<const float*> y(graphs_.first.size());
  std::array<float, strip_width> low;
  for (std::size_t block = 0; block < graphs_.blocks(); ++block) {
    const std::size_t at = block * strip_width;
    for (std::size_t n = 0; n < y.size(); ++n) y[n] = y_[graphs_.first[n]].data() + at;
    for (std::size_t m = 0; m < radii_.size(); ++m) {
      terms[m] = {radii_[m].outside, graphs_.outside.data() + m * graphs_.stride() + at,
                  radii_[m].slack, graphs_.lengths.data() + m * graphs_.stride() + at};
    }
    float* const first = first_.data() + at;
    float* const estimate = estimate_.data() + at;
    first_of_block(graphs_, y, first);
    const float least = lower.full() ? lower.worst() : lowest;
    const float second = 1.0001F * z_length * graphs_.longest[block];
    kernels::upper_bounds(first, first, terms, radius_.data() + at, upper_.data() + at);
    if (lower.full() && kernels::at_least(upper_.data() + at, least - second) == 0) {
      std::fill_n(upper_.data() + at, strip_width, no_estimate);
      continue;
    }
    second_of_block(graphs_, block, signal_.z.data(), first, estimate);
    for (std::size_t c = 0; c < strip_width; ++c) {
      if (eligible_[at + c] != 1.0F) estimate[c] = no_estimate;
    }
    kernels::upper_bounds(first, estimate, terms, radius_.data() + at, upper_.data() + at);
    for (std::size_t c = 0; c < strip_width; ++c) low[c] = estimate[c] - radius_[at + c];
    std::uint32_t lanes = kernels::at_least(low.data(), least);
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(lanes));
      lower.offer(low[c], static_cast<std::uint32_t>(at + c));
    }
  }
  find_candidates(lower);
}

void DensePerson::find_candidates(kernels::TopK& lower) {
  candidates_.clear();
  const auto best = lower.sorted();
  if (best.empty()) return;
  const float reach = best.back().first;
  for (std::size_t at = 0; at < graphs_.stride(); at += strip_width) {
    for (std::uint32_t lanes = kernels::at_least(upper_.data() + at, reach); lanes != 0;
         lanes &= lanes - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(lanes));
      candidates_.push_back({static_cast<std::uint32_t>(i), estimate_[i], radius_[i], 0.0});
    }
  }
}

// Second branches by how far their estimates may be off.
std::vector<std::size_t> DensePerson::widest_first() const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t m = 0; m < graphs_.second.size(); ++m) {
    const Subspace& space = graphs_.subspace(graphs_.branch(graphs_.second[m]));
    double sum = 0;
    for (const Candidate& one : candidates_) sum += static_cast<double>(space.outside[one.place]);
    order.emplace_back(-sum * static_cast<double>(radii_[m].outside), m);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> out;
  for (const auto& [width, m] : order) out.push_back(m);
  return out;
}

// The exact second order of one branch for the candidates that may still be in the list.
void DensePerson::second_order(std::size_t m, std::size_t top) {
  const std::size_t b = graphs_.second[m];
  const Branch& branch = graphs_.branch(b);
  const Subspace& space = graphs_.subspace(branch);
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& c) {
    return a.bound() > c.bound() || (a.bound() == c.bound() && a.place < c.place);
  });
  kernels::TopK lower;
  lower.reset(std::min(top, graphs_.items()));
  kept_.clear();
  for (Candidate& one : candidates_) {
    if (lower.full() && one.bound() < lower.worst()) break;
    const DenseGraph& graph = graphs_.graph(branch);
    const double value = branch.coefficients[1] *
                         static_cast<double>(graphs_.scale[branch.values][one.place]) *
                         row_dot(graph.row(one.place), graph.blocks(), graph.shift(),
                                 graphs_.power(branch), y_[b].data());
    double estimated = 0;
    for (std::size_t r = 0; r < space.rank; ++r) {
      estimated += static_cast<double>(signal_.z[graphs_.direction_of[m] + r]) *
                   static_cast<double>(space.coordinates[one.place * space.rank + r]);
    }
    one.second += value;
    one.estimate = static_cast<float>(static_cast<double>(one.estimate) + value - estimated);
    one.radius -= radii_[m].outside * space.outside[one.place];
    lower.offer(one.estimate - one.radius, one.place);
    kept_.push_back(one);
  }
  candidates_.swap(kept_);
}

std::vector<ScoredItem> DensePerson::recommend(const Query& query, const Signal& signal) {
  if (query.top == 0) return {};
  signal_.set(graphs_, signal);
  std::vector<std::size_t> needed;
  for (std::size_t b = 0; b < y_.size(); ++b) {
    const auto& a = graphs_.branch(b).coefficients;
    if (a[0] != 0 || (graphs_.exact && a.size() == 2)) needed.push_back(b);
  }
  first_orders(signal_, needed);
  eligible_.assign(graphs_.stride(), 1.0F);
  std::fill(eligible_.begin() + static_cast<std::ptrdiff_t>(graphs_.items()), eligible_.end(),
            0.0F);
  mask_ineligible(query, graphs_.items(), [&](std::size_t item) -> float& {
    return eligible_[graphs_.order.place_of[item]];
  });
  radii_.clear();
  for (std::size_t m = 0; graphs_.exact && m < graphs_.second.size(); ++m) {
    const std::size_t b = graphs_.second[m];
    radii_.push_back(
        radius_of(graphs_.branch(b).coefficients[1], std::sqrt(kernels::square_sum(y_[b])),
                  std::sqrt(kernels::square_sum(std::span(signal_.z).subspan(
                      graphs_.direction_of[m], graphs_.subspace(graphs_.branch(b)).rank)))));
  }
  look(query.top);
  kernels::TopK top;
  top.reset(std::min(query.top, graphs_.items()));
  if (radii_.empty()) {
    for (const Candidate& one : candidates_) {
      top.offer(one.estimate, graphs_.order.item_at[one.place]);
    }
    return to_list(top);
  }
  for (const std::size_t m : widest_first()) second_order(m, query.top);
  for (const Candidate& one : candidates_) {
    top.offer(static_cast<float>(static_cast<double>(first_[one.place]) + one.second),
              graphs_.order.item_at[one.place]);
  }
  return to_list(top);
}

}  // namespace palate
