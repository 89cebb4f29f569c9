#include "ranking/dense_person.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"

namespace palate {
namespace {

using kernels::block_width;

constexpr float never = -std::numeric_limits<float>::infinity();

}  // namespace

DensePerson::DensePerson(const DenseGraphs& graphs)
    : graphs_(graphs), y_(graphs.plan->branches.size()), block_y_(graphs.first.size()) {}

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
      kernels::add_powers_of_two(graph.row(signal.places[k]), graph.row(signal.places[k + 1]),
                                 graph.blocks(), graph.shift(), terms, next_terms.data());
    }
    if (k == signal.places.size()) continue;
    set_terms(k, terms);
    kernels::add_powers(graph.row(signal.places[k]), graph.blocks(), graph.shift(), terms);
  }
}

std::span<const float* const> DensePerson::first_orders_at(std::size_t block) {
  for (std::size_t n = 0; n < block_y_.size(); ++n) {
    block_y_[n] = y_[graphs_.first[n]].data() + block * block_width;
  }
  return block_y_;
}

// What a certified list asks of a fitted graph.
class DensePerson::View {
 public:
  explicit View(DensePerson& person)
      : person_(person),
        graphs_(person.graphs_),
        terms_(person.radii_.size()),
        reach_((1 + tolerance::length) * std::sqrt(kernels::square_sum(person.signal_.z))) {}

  [[nodiscard]] std::size_t blocks() const noexcept { return graphs_.blocks(); }

  // W is long, and what the directions add to an item is at most |z| |W_i|.
  bool may_reach(std::size_t block, float least, Intervals& some) {
    const std::size_t at = block * block_width;
    for (std::size_t m = 0; m < terms_.size(); ++m) {
      const Radius& mine = person_.radii_[m];
      terms_[m] = {mine.outside, graphs_.outside.data() + m * graphs_.stride() + at, mine.slack,
                   graphs_.lengths.data() + m * graphs_.stride() + at};
    }
    first_of_block(graphs_, person_.first_orders_at(block), some.first.data());
    bound(some, some.first);
    const float second = static_cast<float>(reach_) * graphs_.longest[block];
    return kernels::at_least(some.upper.data(), least - second) != 0;
  }

  void estimate(std::size_t block, Intervals& some) {
    some.estimate = some.first;
    add_second_of_block(graphs_, block, person_.signal_.z.data(), some.estimate.data());
    const float* const eligible = person_.eligible_.data() + block * block_width;
    for (std::size_t c = 0; c < block_width; ++c) {
      if (eligible[c] != 1.0F) some.estimate[c] = never;
    }
    bound(some, some.estimate);
  }

  [[nodiscard]] std::size_t branches() const noexcept { return terms_.size(); }
  [[nodiscard]] float width_factor(std::size_t m) const { return person_.radii_[m].outside; }
  [[nodiscard]] float width(std::size_t m, std::size_t place) const {
    return graphs_.outside[m * graphs_.stride() + place];
  }
  [[nodiscard]] double exact(std::size_t m, std::size_t place) const {
    const std::size_t b = graphs_.second[m];
    const Branch& branch = graphs_.branch(b);
    const DenseGraph& graph = graphs_.graph(branch);
    return second_order_of(graphs_, m, place,
                           row_dot(graph.row(place), graph.blocks(), graph.shift(),
                                   graphs_.power(branch), person_.y_[b].data()));
  }
  [[nodiscard]] double estimated(std::size_t m, std::size_t place) const {
    return estimated_second_order(graphs_, m, place, person_.signal_.z.data());
  }

 private:
  void bound(Intervals& some, const std::array<float, block_width>& estimate) const {
    kernels::upper_bounds(some.first.data(), estimate.data(), terms_, tolerance::score,
                          some.radius.data(), some.upper.data());
  }

  DensePerson& person_;
  const DenseGraphs& graphs_;
  std::vector<kernels::RadiusTerm> terms_;
  double reach_;  // |z|, not too small
};

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
    radii_.push_back(radius_of(graphs_, m, signal_.places.size(),
                               kernels::square_sum(y_[graphs_.second[m]]), signal_.z.data()));
  }
  View view(*this);
  boost_.clear();
  if (!query.boost.empty()) {
    boost_.assign(graphs_.stride(), 1.0F);
    for (std::size_t place = 0; place < graphs_.items(); ++place) {
      boost_[place] = query.boost[graphs_.order.item_at[place]];
    }
  }
  list_.begin(std::min(query.top, graphs_.items()), boost_);
  list_.search(view);
  list_.settle(view);
  const bool certified = !radii_.empty();
  return best_of(
      list_.candidates(), query.top,
      [certified](const Candidate& one) { return certified ? one.score() : one.estimated_score(); },
      [this](std::uint32_t place) { return graphs_.order.item_at[place]; });
}

}  // namespace palate
