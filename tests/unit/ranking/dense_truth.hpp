// People on a dense graph, and their scores as plainly as they can be computed: from the ratings,
// in double.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "methods/ca_gf/plan.hpp"
#include "ranking/dense_people.hpp"
#include "ranking/dense_scorer.hpp"
#include "support/random_ratings.hpp"
#include "support/slow_twin.hpp"

namespace palate::testing {

class DenseTruth {
 public:
  struct Options {
    RandomShape shape{.users = 50, .items = 130, .density = 0.3};
    std::vector<Filter> filters = {linear(0.6), inward(1.5), outward(0.85), outward(0.85)};
    bool exact = true;
    double least_factor = 0.1;  // of a criterion
  };

  explicit DenseTruth(const Options& options, std::uint64_t seed = 7)
      : ratings_(random_ratings(options.shape, seed)) {
    CaGf settings;
    for (std::size_t c = 0; c < ratings_.criteria().size(); ++c) {
      settings.filters.push_back({ratings_.criteria()[c].name, options.filters[c]});
    }
    ThreadPool pool(1);
    const ItemOrder order = popularity_order(ratings_);
    scorer_ = std::make_unique<DenseScorer>(
        std::make_shared<const FilterPlan>(plan_ca_gf(settings, ratings_.criteria())), order,
        std::vector<DenseGraph>{DenseGraph::build(ratings_, 0b1111, order, pool)}, options.exact,
        pool);
    std::vector<Matrix> by_criterion;
    for (std::size_t c = 0; c < ratings_.criteria().size(); ++c) {
      by_criterion.push_back(dense(ratings_, c));
    }
    p_ = graph(by_criterion);
    Random random(3);
    for (std::uint32_t u = 0; u < ratings_.users(); ++u) {
      queries_.push_back({.ratings = ratings_.of(u), .top = 10});
      Signal signal{.ratings = ratings_.of(u)};
      for (std::size_t c = 0; c < ratings_.criteria().size(); ++c) {
        signal.factor[c] = static_cast<float>(options.least_factor +
                                              (1 - options.least_factor) * random.uniform());
      }
      signals_.push_back(signal);
    }
  }

  [[nodiscard]] const DenseGraphs& graphs() const { return scorer_->graphs(); }
  [[nodiscard]] const std::vector<Query>& queries() const { return queries_; }
  [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }
  [[nodiscard]] std::size_t items() const { return ratings_.items(); }

  /// Row `place` of P_f of a branch, by place.
  [[nodiscard]] std::vector<double> row(const Branch& branch, std::size_t place) const {
    const double power = graphs().plan->powers[branch.values].power;
    std::vector<double> out(items());
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = power_or_zero(p_[graphs().order.item_at[place]][graphs().order.item_at[j]], power);
    }
    return out;
  }
  /// y = x P_f of a branch, by place.
  [[nodiscard]] std::vector<double> first_order(std::size_t b, const Signal& signal) const {
    const Branch& branch = graphs().branch(b);
    std::vector<double> y(items(), 0.0);
    for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
      const auto x = static_cast<double>(signal.at(k, branch.criteria, graphs().plan->criteria));
      const auto mine = row(branch, graphs().order.place_of[signal.ratings.items[k]]);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += x * mine[i];
    }
    return y;
  }
  /// y p_i of a branch for all i.
  [[nodiscard]] std::vector<double> second_order(std::size_t b,
                                                 const std::vector<double>& y) const {
    std::vector<double> out(items(), 0.0);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto mine = row(graphs().branch(b), i);
      for (std::size_t j = 0; j < y.size(); ++j) out[i] += y[j] * mine[j];
    }
    return out;
  }
  /// Whether someone has rated what is at a place.
  [[nodiscard]] bool rated(const Signal& signal, std::size_t place) const {
    for (const std::uint32_t item : signal.ratings.items) {
      if (graphs().order.place_of[item] == place) return true;
    }
    return false;
  }

 private:
  Ratings ratings_;
  std::unique_ptr<DenseScorer> scorer_;
  Matrix p_;
  std::vector<Query> queries_;
  std::vector<Signal> signals_;
};

}  // namespace palate::testing
