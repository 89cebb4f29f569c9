#include "live/dense_person.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/dense/square_sum.hpp"
#include "kernels/dense/strip.hpp"
#include "ranking/select.hpp"

namespace palate::live {
namespace {

constexpr float never = -std::numeric_limits<float>::infinity();

// Long sums of floats are cut into pieces of this many rows, which are added up in double.
constexpr std::size_t piece = 64;
// Relative room for the rounding of v, z, U and the estimate: of a square, and of a length.
constexpr double room_of_square = 4e-6;
constexpr double room_of_length = 1e-5;

// x Z for one panel of Z.
void add_projection(const std::vector<float>& panel, const float* x, std::size_t places,
                    double* out) {
  const std::size_t rows = std::min(places, panel.size() / block_width);
  for (std::size_t k = 0; k < rows; k += piece) {
    std::array<float, block_width> sum{};
    kernels::add_rows(panel.data() + k * block_width, std::min(piece, rows - k), x + k, sum.data());
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
void DensePerson::project(const State& state) {
  projections_.resize(state.base->second.size());
  v_.resize(state.stride());
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    const Branch& branch = second_branch(state, m);
    const std::vector<float>& y = y_[state.base->second[m]];
    const std::vector<float>& ratio = *state.links->bounds[branch.values].ratio;
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = y[j] * ratio[j];
    const auto& panels = state.base->directions[branch.values];
    std::vector<double> z(panels.size() * block_width, 0.0);
    for (std::size_t p = 0; p < panels.size(); ++p) {
      add_projection(panels[p], v_.data(), v_.size(), z.data() + p * block_width);
    }
    double inside = 0;
    for (const double one : z) inside += one * one;
    const double whole = kernels::square_sum(v_);
    const double a = branch.coefficients[1];
    Projection& out = projections_[m];
    out.z.resize(z.size());
    for (std::size_t r = 0; r < z.size(); ++r) out.z[r] = static_cast<float>(a * z[r]);
    const double rest = std::max(0.0, whole - inside) + room_of_square * whole;
    out.outside = static_cast<float>(std::abs(a) * std::sqrt(rest) * (1 + 1e-6));
    out.most = static_cast<float>(std::max(0.0, a) * std::sqrt(whole) * (1 + 1e-5));
    out.slack = static_cast<float>(std::abs(a) * room_of_length * std::sqrt(whole));
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
void DensePerson::bound_blocks(const State& state) {
  std::vector<float>& bound = estimate_;  // what it is needed for comes later
  bound.resize(state.stride());
  for (std::size_t i = 0; i < bound.size(); ++i) {
    bound[i] = first_[i] > never ? first_[i] + 2e-6F * std::abs(first_[i]) : never;
  }
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    const float most = projections_[m].most;
    if (most <= 0) continue;
    const float* reach = state.links->bounds[second_branch(state, m).values].reach->data();
    for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += most * reach[i];
  }
  block_bounds_.resize(state.blocks());
  for (std::size_t b = 0; b < block_bounds_.size(); ++b) {
    std::array<float, block_width> best{};
    std::copy_n(bound.data() + b * block_width, block_width, best.begin());
    for (std::size_t half = block_width / 2; half > 0; half /= 2) {
      for (std::size_t c = 0; c < half; ++c) {
        best[c] = best[c] > best[c + half] ? best[c] : best[c + half];
      }
    }
    block_bounds_[b] = best[0];
  }
}

// Estimates and radii of the places of a block.
void DensePerson::estimate(const State& state, std::size_t block) {
  const std::size_t at = block * block_width;
  float* estimate = estimate_.data() + at;
  float* radius = radius_.data() + at;
  std::copy_n(first_.data() + at, block_width, estimate);
  std::fill_n(radius, block_width, 0.0F);
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    const Projection& mine = projections_[m];
    const Bounds& bounds = state.links->bounds[second_branch(state, m).values];
    const BoundBlock& one = bounds.blocks[block];
    const float* ratio = bounds.ratio->data() + at;
    std::array<float, block_width> inside{};
    kernels::add_rows(one.directions.data(), mine.z.size(), mine.z.data(), inside.data());
    for (std::size_t c = 0; c < block_width; ++c) {
      estimate[c] += ratio[c] * inside[c];
      radius[c] += ratio[c] * (mine.outside * one.outside[c] + mine.slack * one.lengths[c]);
    }
  }
  for (std::size_t c = 0; c < block_width; ++c) {
    if (estimate[c] > never) {
      radius[c] += 2e-6F * (std::abs(first_[at + c]) + std::abs(estimate[c]));
    }
  }
}

// The most popular items come first; blocks that cannot be in the list are passed over.
void DensePerson::find_candidates(const State& state, std::size_t top) {
  bound_blocks(state);
  estimate_.assign(state.stride(), never);
  radius_.assign(state.stride(), 0.0F);
  kernels::TopK lower;
  lower.reset(std::min(top, state.items()));
  for (std::size_t block = 0; block < state.blocks(); ++block) {
    const float bound = block_bounds_[block];
    if (!(bound > never) || (lower.full() && bound < lower.worst())) continue;
    estimate(state, block);
    for (std::size_t i = block * block_width; i < (block + 1) * block_width; ++i) {
      const float low = estimate_[i] - radius_[i];
      if (low > never && !(lower.full() && low < lower.worst())) {
        lower.offer(low, static_cast<std::uint32_t>(i));
      }
    }
  }
  candidates_.clear();
  const float reach = lower.full() ? lower.worst() : std::numeric_limits<float>::lowest();
  for (std::uint32_t i = 0; i < state.items(); ++i) {
    if (estimate_[i] > never && estimate_[i] + radius_[i] >= reach) {
      candidates_.push_back({i, estimate_[i], radius_[i], 0.0});
    }
  }
}

// Second branches by how far their estimates may be off.
std::vector<std::size_t> DensePerson::widest_first(const State& state) const {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t m = 0; m < projections_.size(); ++m) {
    const Bounds& bounds = state.links->bounds[second_branch(state, m).values];
    double sum = 0;
    for (const Candidate& one : candidates_) {
      sum += static_cast<double>(
          (*bounds.ratio)[one.place] *
          bounds.blocks[one.place / block_width].outside[one.place % block_width]);
    }
    order.emplace_back(-sum * static_cast<double>(projections_[m].outside), m);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> out;
  for (const auto& [width, m] : order) out.push_back(m);
  return out;
}

// The exact second order of one branch for the candidates that may still be in the list.
void DensePerson::second_order(const State& state, std::size_t m, std::size_t top) {
  const std::size_t b = state.base->second[m];
  const Branch& branch = second_branch(state, m);
  const Bounds& bounds = state.links->bounds[branch.values];
  const Projection& mine = projections_[m];
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& c) {
    return a.bound() > c.bound() || (a.bound() == c.bound() && a.place < c.place);
  });
  kernels::TopK lower;
  lower.reset(std::min(top, state.items()));
  kept_.clear();
  for (Candidate& one : candidates_) {
    if (lower.full() && one.bound() < lower.worst()) break;
    const double value =
        branch.coefficients[1] * reader_.dot(state, branch, one.place, y_[b].data());
    const BoundBlock& block = bounds.blocks[one.place / block_width];
    const std::size_t lane = one.place % block_width;
    double inside = 0;
    for (std::size_t r = 0; r < mine.z.size(); ++r) {
      inside += static_cast<double>(mine.z[r]) *
                static_cast<double>(block.directions[r * block_width + lane]);
    }
    const float ratio = (*bounds.ratio)[one.place];
    one.second += value;
    one.estimate = static_cast<float>(static_cast<double>(one.estimate) + value -
                                      static_cast<double>(ratio) * inside);
    one.radius -= ratio * mine.outside * block.outside[lane];
    one.radius = std::max(one.radius, 2e-6F * std::abs(one.estimate));
    lower.offer(one.estimate - one.radius, one.place);
    kept_.push_back(one);
  }
  candidates_.swap(kept_);
}

std::vector<ScoredItem> DensePerson::recommend(const State& state, const Query& query,
                                               const Signal& signal) {
  if (query.top == 0) return {};
  first_orders(state, signal);
  project(state);
  add_first(state, query);
  kernels::TopK top;
  top.reset(std::min(query.top, state.items()));
  if (projections_.empty()) {
    for (std::uint32_t i = 0; i < state.items(); ++i) {
      if (first_[i] > never && !(top.full() && first_[i] < top.worst())) {
        top.offer(first_[i], state.item_at(i));
      }
    }
    return to_list(top);
  }
  find_candidates(state, query.top);
  for (const std::size_t m : widest_first(state)) second_order(state, m, query.top);
  for (const Candidate& one : candidates_) {
    top.offer(static_cast<float>(static_cast<double>(first_[one.place]) + one.second),
              state.item_at(one.place));
  }
  return to_list(top);
}

}  // namespace palate::live
