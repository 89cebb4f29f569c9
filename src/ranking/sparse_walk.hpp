// Lists on a sparse graph: a person's few items lead to few others, and those are visited one by
// one.
//
// The second-order score of item i is y p_i, y = x P_f being the first-order row and p_i row i of
// P_f. Most of it comes from the person's own items and from i itself, which are cheap; what is
// left is bounded by |y'| |p_i'|, the primes being y without the person's own items and p_i without
// its diagonal. That often settles the list among the items that the first order reaches; only
// where it does not are all items within two steps computed. Orders above two go step by step.
//
// A view of the graph, fitted or live, has
//   items(), plan()
//   second(): its branches of second order, none higher
//   columns(graph, j), values(branch, j), scale(branch, j): row j of P_f is scale times the values
//     at the columns; values may be gone with the next call
//   near(n, i): P_ii, and |p_i' / ratio|, for the n-th of second(); ratio(n, j): |y' ratio| times
//     that bounds y' p_i'; longest(n): none of these lengths is larger
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/recommender.hpp"
#include "graph/filter_plan.hpp"
#include "graph/tolerances.hpp"
#include "ranking/certified_list.hpp"
#include "ranking/graph_scorer.hpp"
#include "ranking/sparse_graphs.hpp"
#include "ranking/sparse_sum.hpp"

namespace palate {

/// One per worker; scratch memory is reused from person to person.
template <class View>
class SparseWalk {
 public:
  /// The exact list.
  [[nodiscard]] std::vector<ScoredItem> recommend(View& view, const Query& query,
                                                  const Signal& signal) {
    begin(view, signal);
    mark_excluded(query);
    std::vector<ScoredItem> list;
    if (query.top == 0 || !settle(view, query, list)) {
      add_second_orders(view);
      list = best_of_all(view.items(), query);
    }
    end();
    return list;
  }

  /// First orders, and all above the second. Until end().
  void begin(View& view, const Signal& signal) {
    fit(view);
    items_.assign(signal.ratings.items.begin(), signal.ratings.items.end());
    x_.resize(items_.size() * branches_);
    for (std::size_t k = 0; k < items_.size(); ++k) {
      for (std::size_t b = 0; b < branches_; ++b) {
        x_[k * branches_ + b] = signal.at(k, plan_->branches[b].criteria, plan_->criteria);
      }
      flags_[items_[k]] |= own;
    }
    marked_ = items_;
    first_orders(view);
  }
  void mark_excluded(const Query& query) {
    if (!query.exclude_seen) return;
    for (std::size_t k = 0; k < query.ratings.size(); ++k) {
      if ((query.ratings.present[k] & 1U) == 0) continue;
      flags_[query.ratings.items[k]] |= excluded;
      marked_.push_back(query.ratings.items[k]);
    }
  }
  void end() {
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

  /// sum over branches of a_2 y P: everything within two steps. In double the order of the sums
  /// is immaterial: a score is the same whether it comes from here or is settled for one item.
  void add_second_orders(View& view) {
    for (std::size_t g = 0; g < second_by_graph_.size(); ++g) {
      for (const std::size_t b : second_by_graph_[g]) {
        const double a = plan_->branches[b].coefficients[1];
        for (const std::uint32_t j : reached_) {
          const auto y = static_cast<double>(y_[j * branches_ + b]);
          if (y == 0) continue;
          second_.add_row(view.columns(g, j), view.values(b, j), a * y * view.scale(b, j));
        }
      }
    }
  }
  /// The same where it was found otherwise.
  void add_second_order(std::uint32_t item, double value) { second_.add(item, value); }

  /// After that: the score, and the list.
  [[nodiscard]] float score(std::uint32_t item) const { return rounded(item, second_[item]); }
  [[nodiscard]] std::vector<ScoredItem> best_of_all(std::size_t items, const Query& query) const {
    kernels::TopK top;
    top.reset(std::min(query.top, items));
    const auto offer = [&](std::uint32_t i) {
      if (eligible(query, i)) top.offer(boosted(score(i), boost_of(query, i)), i);
    };
    const auto known = [&](std::uint32_t i) {
      return is_reached(i) || second_.has(i) || (higher_ && higher_sum_.has(i));
    };
    for (const std::uint32_t i : reached_) offer(i);
    for (const std::uint32_t i : second_.touched()) {
      if (!is_reached(i)) offer(i);
    }
    for (const std::uint32_t i : higher_sum_.touched()) {
      if (!is_reached(i) && !second_.has(i)) offer(i);
    }
    // Items that nothing leads to have score 0, boosted or not; the first `top` are enough.
    std::size_t zeros = 0;
    for (std::uint32_t i = 0; i < items && zeros < query.top; ++i) {
      if (known(i) || !eligible(query, i)) continue;
      top.offer(0.0F, i);
      ++zeros;
    }
    return to_list(top);
  }

  /// What the first order reaches.
  [[nodiscard]] const std::vector<std::uint32_t>& reached() const noexcept { return reached_; }
  /// What the person rated, and x of a branch there.
  [[nodiscard]] const std::vector<std::uint32_t>& rated() const noexcept { return items_; }
  [[nodiscard]] float x(std::size_t k, std::size_t b) const noexcept {
    return x_[k * branches_ + b];
  }
  [[nodiscard]] float first(std::uint32_t item) const noexcept {
    const float* y = y_.data() + item * branches_;
    float sum = higher_ ? higher_sum_[item] : 0.0F;
    for (std::size_t b = 0; b < branches_; ++b) sum += a1_[b] * y[b];
    return sum;
  }
  [[nodiscard]] float rounded(std::uint32_t item, double second) const noexcept {
    return static_cast<float>(static_cast<double>(first(item)) + second);
  }
  [[nodiscard]] bool eligible(const Query& query, std::uint32_t i) const noexcept {
    return (flags_[i] & excluded) == 0 && (query.allowed.empty() || query.allowed[i] != 0);
  }
  /// Of an item that is reached, within what its score lies; after bound_rest().
  [[nodiscard]] Candidate interval(const View& view, std::uint32_t i) const {
    const auto second = view.second();
    const float total = first(i);
    float estimate = own_[i];
    float selves = 0;
    float radius = 0;
    const float* y = y_.data() + i * branches_;
    const bool others = (flags_[i] & own) == 0;
    for (std::size_t n = 0; n < second.size(); ++n) {
      const std::size_t b = second[n];
      const Near near = view.near(n, i);
      const float self = a2_[b] * y[b] * near.diagonal;
      if (others) estimate += self;
      selves += std::abs(self);
      radius += rest_[n] * near.length;
    }
    const float size = std::abs(own_[i]) + std::abs(total) + selves;
    radius += tolerance::score * (size + radius) + self_rounding_ * selves;
    return {i, total, estimate + total, radius, 0.0};
  }
  /// The most that an item can score that the first order does not reach.
  // What own items add is a sum of floats, which is off by its rounding times |y_own| |p_i'|, and
  // that goes with |y'| |p_i'|.
  double bound_rest(View& view) {
    const auto second = view.second();
    std::array<double, max_criteria> others{};
    std::array<double, max_criteria> mine{};
    for (const std::uint32_t i : reached_) {
      std::array<double, max_criteria>& squares = (flags_[i] & own) != 0 ? mine : others;
      const float* y = y_.data() + i * branches_;
      for (std::size_t n = 0; n < second.size(); ++n) {
        const double v = static_cast<double>(y[second[n]]) * static_cast<double>(view.ratio(n, i));
        squares[n] += v * v;
      }
    }
    const double rounding = tolerance::short_sum(items_.size() * second.size());
    self_rounding_ = static_cast<float>(rounding);
    double elsewhere = 0;
    for (std::size_t n = 0; n < second.size(); ++n) {
      const double a = std::abs(plan_->branches[second[n]].coefficients[1]);
      const double rest =
          a * (std::sqrt(others[n]) + rounding * std::sqrt(mine[n])) * (1 + tolerance::to_float);
      rest_[n] = static_cast<float>(rest);
      elsewhere += rest * static_cast<double>(view.longest(n)) * (1 + tolerance::to_float);
    }
    own_part(view);
    return elsewhere;
  }
  /// Of one item.
  [[nodiscard]] double second_order(View& view, std::uint32_t item) const {
    double total = 0;
    for (std::size_t g = 0; g < second_by_graph_.size(); ++g) {
      if (second_by_graph_[g].empty()) continue;
      const auto columns = view.columns(g, item);
      for (const std::size_t b : second_by_graph_[g]) {
        const float* row = view.values(b, item);
        const float* y = y_.data() + b;
        double sum = 0;
        for (std::size_t k = 0; k < columns.size(); ++k) {
          sum += static_cast<double>(row[k]) * static_cast<double>(y[columns[k] * branches_]);
        }
        total += plan_->branches[b].coefficients[1] * (sum * view.scale(b, item));
      }
    }
    return total;
  }

 private:
  // What is known of an item in the work on one person.
  static constexpr std::uint8_t reached_flag = 1;  // by the first order
  static constexpr std::uint8_t own = 2;           // in the person's signal
  static constexpr std::uint8_t excluded = 4;      // rated overall, and not wanted again

  [[nodiscard]] bool is_reached(std::uint32_t i) const noexcept {
    return (flags_[i] & reached_flag) != 0;
  }
  void fit(const View& view) {
    if (plan_ == &view.plan() && flags_.size() >= view.items()) return;
    plan_ = &view.plan();
    branches_ = plan_->branches.size();
    higher_ = false;
    a1_.clear();
    a2_.assign(branches_, 0.0F);
    by_graph_.assign(plan_->graphs.size(), {});
    second_by_graph_.assign(plan_->graphs.size(), {});
    for (std::size_t b = 0; b < branches_; ++b) {
      const Branch& branch = plan_->branches[b];
      a1_.push_back(static_cast<float>(branch.coefficients[0]));
      by_graph_[branch.graph].push_back(b);
      higher_ |= branch.coefficients.size() > 2;
    }
    for (const std::size_t b : view.second()) {
      const Branch& branch = plan_->branches[b];
      a2_[b] = static_cast<float>(branch.coefficients[1]);
      second_by_graph_[branch.graph].push_back(b);
    }
    rest_.resize(view.second().size());
    // Where items have come since the last person, more will.
    const std::size_t room = view.items() + (flags_.empty() ? 0 : view.items() / 8);
    flags_.assign(room, 0);
    y_.assign(room * branches_, 0.0F);
    own_.assign(room, 0.0F);
    second_ = SparseSum<double>(room);
    if (!higher_) return;
    higher_sum_ = SparseSum<float>(room);
    power_ = SparseSum<float>(room);
    next_ = SparseSum<float>(room);
  }
  // y = x P for every branch. Branches of one graph share the way through its rows.
  void first_orders(View& view) {
    for (std::size_t g = 0; g < by_graph_.size(); ++g) {
      const std::vector<std::size_t>& mine = by_graph_[g];
      for (std::size_t k = 0; k < items_.size(); ++k) {
        const std::uint32_t j = items_[k];
        const auto columns = view.columns(g, j);
        for (const std::uint32_t i : columns) {
          if (is_reached(i)) continue;
          flags_[i] |= reached_flag;
          reached_.push_back(i);
        }
        for (const std::size_t b : mine) {
          if (x_[k * branches_ + b] == 0) continue;
          const auto x =
              static_cast<float>(static_cast<double>(x_[k * branches_ + b]) * view.scale(b, j));
          const float* row = view.values(b, j);
          float* y = y_.data() + b;
          for (std::size_t n = 0; n < columns.size(); ++n) y[columns[n] * branches_] += x * row[n];
        }
      }
    }
    for (std::size_t b = 0; b < branches_ && higher_; ++b) {
      if (plan_->branches[b].coefficients.size() > 2) higher_orders(view, b);
    }
  }
  // higher_sum += a_k x P^k for k above 1, given x P.
  void higher_orders(View& view, std::size_t b) {
    const Branch& branch = plan_->branches[b];
    power_.clear();
    for (const std::uint32_t i : reached_) power_.add(i, y_[i * branches_ + b]);
    for (std::size_t k = 1; k < branch.coefficients.size(); ++k) {
      next_.clear();
      for (const std::uint32_t j : power_.touched()) {
        next_.add_row(view.columns(branch.graph, j), view.values(b, j),
                      static_cast<float>(static_cast<double>(power_[j]) * view.scale(b, j)));
      }
      std::swap(power_, next_);
      higher_sum_.add_scaled(power_, static_cast<float>(branch.coefficients[k]));
    }
  }
  // own_[i] = sum over branches and own items j of a_2 y_j P_ij.
  void own_part(View& view) {
    for (std::size_t g = 0; g < second_by_graph_.size(); ++g) {
      const std::vector<std::size_t>& mine = second_by_graph_[g];
      if (mine.empty()) continue;
      for (const std::uint32_t j : items_) {
        const auto columns = view.columns(g, j);
        for (const std::size_t b : mine) {
          const auto y =
              static_cast<float>(plan_->branches[b].coefficients[1] *
                                 static_cast<double>(y_[j * branches_ + b]) * view.scale(b, j));
          const float* row = view.values(b, j);
          for (std::size_t n = 0; n < columns.size(); ++n) own_[columns[n]] += y * row[n];
        }
      }
    }
  }
  // Whether the bounds show that the list holds none but items that the first order reaches; if so,
  // the list.
  [[nodiscard]] bool settle(View& view, const Query& query, std::vector<ScoredItem>& list) {
    if (higher_) return false;
    const double elsewhere = bound_rest(view);
    list_.begin(query.top);
    for (const std::uint32_t i : reached_) {
      if (!eligible(query, i)) continue;
      Candidate one = interval(view, i);
      one.boost = boost_of(query, i);
      list_.offer(one);
    }
    const double most =
        query.boost.empty()
            ? 1.0
            : static_cast<double>(*std::max_element(query.boost.begin(), query.boost.end()));
    if (!list_.full() || static_cast<double>(list_.least()) <= elsewhere * most) return false;
    list_.prune();
    list_.settle_each([&](Candidate& one) {
      one.second = second_order(view, one.place);
      one.estimate = one.raw();
      one.radius = 0;
    });
    list = best_of(
        list_.candidates(), query.top, [](const Candidate& one) { return one.score(); },
        [](std::uint32_t item) { return item; });
    return true;
  }

  const FilterPlan* plan_ = nullptr;
  std::size_t branches_ = 0;
  std::vector<std::vector<std::size_t>> by_graph_;         // branches of each graph
  std::vector<std::vector<std::size_t>> second_by_graph_;  // of these, those of second order
  bool higher_ = false;
  std::vector<float> a1_, a2_;

  std::vector<std::uint32_t> items_;  // of the person
  std::vector<float> x_;              // per item and branch
  std::vector<std::uint32_t> marked_;
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint32_t> reached_;
  std::vector<float> y_;         // per item and branch: x P
  std::vector<float> own_;       // per item: what own items add to the second order
  std::vector<float> rest_;      // by branch of second order: |a_2| |y'|, not too small
  float self_rounding_ = 0;      // of what an item adds to itself, relative
  SparseSum<double> second_{0};  // sum of a_2 x P^2
  SparseSum<float> higher_sum_{0}, power_{0}, next_{0};  // orders above two
  CertifiedList list_;
};

}  // namespace palate
