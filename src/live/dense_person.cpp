#include "live/dense_person.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"

namespace palate::live {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

// Long sums of floats are cut into pieces of this many rows, which are added up in double.
constexpr std::size_t piece = 64;

// x Z for one strip of Z.
void add_projection(const std::vector<float>& strip, const float* x, std::size_t places,
                    double* out) {
  const std::size_t rows = std::min(places, strip.size() / block_width);
  for (std::size_t k = 0; k < rows; k += piece) {
    std::array<float, block_width> sum{};
    kernels::add_rows(strip.data() + k * block_width, std::min(piece, rows - k), x + k, sum.data());
    for (std::size_t r = 0; r < block_width; ++r) out[r] += static_cast<double>(sum[r]);
  }
}

const Branch& second_branch(const State& state, std::size_t m) {
  return state.base->plan->branches[state.base->second[m]];
}

}  // namespace

// y = x P_f of every branch. Branches of one graph share the way through its rows.
void DensePerson::first_orders(const State& state, const Signal& signal) {
  const FilterPlan& plan = *state.base->plan;
  y_.resize(plan.branches.size());
  for (auto& y : y_) y.assign(state.stride(), 0.0F);
  std::vector<kernels::PowerTerm> terms;
  for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
    const std::uint32_t place = state.place_of(signal.ratings.items[k]);
    for (std::size_t g = 0; g < plan.graphs.size(); ++g) {
      terms.clear();
      for (std::size_t b = 0; b < y_.size(); ++b) {
        const Branch& branch = plan.branches[b];
        if (branch.graph != g) continue;
        const auto x = static_cast<double>(signal.at(k, branch.criteria, plan.criteria));
        if (x == 0) continue;
        terms.push_back({static_cast<float>(plan.powers[branch.values].power),
                         static_cast<float>(x * scale_of(state, branch, place)), y_[b].data()});
      }
      if (!terms.empty()) reader_.add(state, g, place, terms);
    }
  }
}

// v = y r and its part inside Z, of every second branch.
void DensePerson::project(const State& state, std::size_t ratings) {
  projections_.resize(state.base->second.size());
  v_.resize(state.stride());
  std::size_t directions = 0;
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    directions += state.base->directions[second_branch(state, m).values].size() * block_width;
  }
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    const Branch& branch = second_branch(state, m);
    const std::vector<float>& y = y_[state.base->second[m]];
    const std::vector<float>& ratio = *state.links->bounds[branch.values].ratio;
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = y[j] * ratio[j];
    const auto& strips = state.base->directions[branch.values];
    std::vector<double> z(strips.size() * block_width, 0.0);
    for (std::size_t p = 0; p < strips.size(); ++p) {
      add_projection(strips[p], v_.data(), v_.size(), z.data() + p * block_width);
    }
    double inside = 0;
    for (const double one : z) inside += one * one;
    const double whole = kernels::square_sum(v_);
    const double a = branch.coefficients[1];
    const double length = std::sqrt(whole);
    Projection& out = projections_[m];
    out.z.resize(z.size());
    for (std::size_t r = 0; r < z.size(); ++r) out.z[r] = static_cast<float>(a * z[r]);
    const double rest =
        std::max(0.0, whole - inside) + tolerance::person_square(state.items(), ratings) * whole;
    out.outside = static_cast<float>(std::abs(a) * std::sqrt(rest) * (1 + tolerance::to_float));
    out.most = static_cast<float>(std::max(0.0, a) * length * (1 + tolerance::length));
    out.slack = static_cast<float>(std::abs(a) * length *
                                   tolerance::second_order(state.items(), directions));
  }
}

// first of every place, -infinity where it is not wanted.
void DensePerson::add_first(const State& state, const Query& query) {
  const Base& base = *state.base;
  first_.assign(state.stride(), 0.0F);
  for (const std::size_t b : base.first) {
    const auto a = static_cast<float>(base.plan->branches[b].coefficients[0]);
    for (std::size_t i = 0; i < first_.size(); ++i) first_[i] += a * y_[b][i];
  }
  std::fill(first_.begin() + static_cast<std::ptrdiff_t>(state.items()), first_.end(), never);
  mask_ineligible(query, state.items(), [&](std::size_t item) -> float& {
    return first_[state.place_of(static_cast<std::uint32_t>(item))];
  });
}

// No score is higher than its bound. Neither v nor q_i is ever below 0: a second order with a
// factor below 0 only takes away, and the others add at most r_i |v| |q_i|.
void DensePerson::bound_scores(const State& state) {
  bound_.resize(state.stride());
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    bound_[i] = first_[i] > never ? first_[i] + tolerance::score * std::abs(first_[i]) : never;
  }
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    const float most = projections_[m].most;
    if (most <= 0) continue;
    const float* reach = state.links->bounds[second_branch(state, m).values].reach->data();
    for (std::size_t i = 0; i < bound_.size(); ++i) bound_[i] += most * reach[i];
  }
}

// What a certified list asks of a state.
class DensePerson::View {
 public:
  View(DensePerson& person, const State& state) : person_(person), state_(state) {
    for (std::size_t m = 0; m < person.projections_.size(); ++m) {
      bounds_.push_back(&state.links->bounds[second_branch(state, m).values]);
    }
  }

  [[nodiscard]] std::size_t blocks() const noexcept { return state_.blocks(); }
  [[nodiscard]] bool may_reach(std::size_t block, float least, Intervals& /*some*/) const {
    return kernels::at_least(person_.bound_.data() + block * block_width, least) != 0;
  }
  void estimate(std::size_t block, Intervals& some) const {
    const std::size_t at = block * block_width;
    std::copy_n(person_.first_.data() + at, block_width, some.first.data());
    some.estimate = some.first;
    some.radius.fill(0.0F);
    for (std::size_t m = 0; m < bounds_.size(); ++m) {
      const Projection& mine = person_.projections_[m];
      const BoundBlock& one = bounds_[m]->blocks[block];
      const float* ratio = bounds_[m]->ratio->data() + at;
      std::array<float, block_width> inside{};
      kernels::add_rows(one.directions.data(), mine.z.size(), mine.z.data(), inside.data());
      for (std::size_t c = 0; c < block_width; ++c) {
        some.estimate[c] += ratio[c] * inside[c];
        some.radius[c] += ratio[c] * (mine.outside * one.outside[c] + mine.slack * one.lengths[c]);
      }
    }
    for (std::size_t c = 0; c < block_width; ++c) {
      if (some.estimate[c] > never) {
        some.radius[c] += tolerance::score * (std::abs(some.first[c]) + std::abs(some.estimate[c]));
      }
      some.upper[c] = some.estimate[c] + some.radius[c];
    }
  }

  [[nodiscard]] std::size_t branches() const noexcept { return bounds_.size(); }
  [[nodiscard]] float width_factor(std::size_t m) const { return person_.projections_[m].outside; }
  [[nodiscard]] float width(std::size_t m, std::size_t place) const {
    return (*bounds_[m]->ratio)[place] *
           bounds_[m]->blocks[place / block_width].outside[place % block_width];
  }
  [[nodiscard]] double exact(std::size_t m, std::uint32_t place) const {
    const Branch& branch = second_branch(state_, m);
    return branch.coefficients[1] *
           person_.reader_.dot(state_, branch, place, person_.y_[state_.base->second[m]].data());
  }
  [[nodiscard]] double estimated(std::size_t m, std::size_t place) const {
    const std::vector<float>& z = person_.projections_[m].z;
    const BoundBlock& block = bounds_[m]->blocks[place / block_width];
    double inside = 0;
    for (std::size_t r = 0; r < z.size(); ++r) {
      inside += static_cast<double>(z[r]) *
                static_cast<double>(block.directions[r * block_width + place % block_width]);
    }
    return static_cast<double>((*bounds_[m]->ratio)[place]) * inside;
  }

 private:
  DensePerson& person_;
  const State& state_;
  std::vector<const Bounds*> bounds_;  // per second branch
};

// The most popular items come first; blocks that cannot be in the list are passed over.
std::vector<ScoredItem> DensePerson::recommend(const State& state, const Query& query,
                                               const Signal& signal) {
  if (query.top == 0) return {};
  first_orders(state, signal);
  project(state, signal.ratings.size());
  add_first(state, query);
  bound_scores(state);
  View view(*this, state);
  boost_.clear();
  if (!query.boost.empty()) {
    boost_.assign(state.stride(), 1.0F);
    for (std::uint32_t place = 0; place < state.items(); ++place) {
      boost_[place] = query.boost[state.item_at(place)];
    }
  }
  list_.begin(std::min(query.top, state.items()), boost_);
  list_.search(view);
  list_.settle(view);
  return best_of(
      list_.candidates(), query.top, [](const Candidate& one) { return one.score(); },
      [&state](std::uint32_t place) { return state.item_at(place); });
}

}  // namespace palate::live
