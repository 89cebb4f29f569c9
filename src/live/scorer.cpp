#include "live/scorer.hpp"

#include <cmath>

#include "palate/error.hpp"
#include "ranking/select.hpp"

namespace palate::live {

void Scorer::recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const {
  pool.for_chunks(queries.size(), 1, [&](std::size_t k, std::size_t, unsigned) {
    if (state_->base->higher) {
      std::vector<float> scores(items());
      score(signals.subspan(k, 1), scores);
      lists[k] = select_top(queries[k], scores);
    } else if (state_->base->dense) {
      lists[k] = workers_->dense.lend()->recommend(*state_, queries[k], signals[k]);
    } else {
      lists[k] = workers_->sparse.lend()->recommend(*state_, queries[k], signals[k]);
    }
  });
}

// y = x P_f; false if it is 0.
bool Scorer::first_order(const Signal& signal, const Branch& branch, std::vector<float>& y) const {
  const auto reader = workers_->readers.lend();
  const FilterPlan& plan = *state_->base->plan;
  const auto power = static_cast<float>(plan.powers[branch.values].power);
  y.assign(state_->stride(), 0.0F);
  bool any = false;
  for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
    const auto x = static_cast<double>(signal.at(k, branch.criteria, plan.criteria));
    if (x == 0) continue;
    const std::uint32_t place = state_->place_of(signal.ratings.items[k]);
    const kernels::PowerTerm term{power, static_cast<float>(x * scale_of(*state_, branch, place)),
                                  y.data()};
    reader->add(*state_, branch.graph, place, {&term, 1});
    any = true;
  }
  return any;
}

void Scorer::score(Signals signals, std::span<float> scores) const {
  const auto reader = workers_->readers.lend();
  std::vector<float> y;
  for (std::size_t n = 0; n < signals.size(); ++n) {
    std::vector<double> total(state_->stride(), 0.0);
    for (const Branch& branch : state_->base->plan->branches) {
      if (!first_order(signals[n], branch, y)) continue;
      for (std::size_t k = 0; k < branch.coefficients.size(); ++k) {
        if (k > 0) {
          std::vector<float> next(y.size(), 0.0F);
          for (std::uint32_t i = 0; i < items(); ++i) {
            next[i] = static_cast<float>(reader->dot(*state_, branch, i, y.data()));
          }
          y.swap(next);
        }
        for (std::size_t i = 0; i < items(); ++i) {
          total[i] += branch.coefficients[k] * static_cast<double>(y[i]);
        }
      }
    }
    for (std::uint32_t i = 0; i < items(); ++i) {
      scores[n * items() + state_->item_at(i)] = static_cast<float>(total[i]);
    }
  }
}

void Scorer::score_at(Signals signals, Items at, std::span<float> scores) const {
  if (state_->base->higher) {
    GraphScorer::score_at(signals, at, scores);
    return;
  }
  const auto reader = workers_->readers.lend();
  std::vector<float> y;
  for (std::size_t n = 0; n < signals.size(); ++n) {
    std::vector<double> total(at.size(), 0.0);
    for (const Branch& branch : state_->base->plan->branches) {
      if (!first_order(signals[n], branch, y)) continue;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const std::uint32_t place = state_->place_of(at[k]);
        total[k] += branch.coefficients[0] * static_cast<double>(y[place]);
        if (branch.coefficients.size() == 2) {
          total[k] += branch.coefficients[1] * reader->dot(*state_, branch, place, y.data());
        }
      }
    }
    for (std::size_t k = 0; k < at.size(); ++k) {
      scores[n * at.size() + k] = static_cast<float>(total[k]);
    }
  }
}

GraphScorer::Column Scorer::filter_column(const Branch& branch, std::uint32_t item,
                                          Items at) const {
  const auto reader = workers_->readers.lend();
  const std::uint32_t place = state_->place_of(item);
  std::vector<std::uint32_t> places;
  for (const std::uint32_t j : at) places.push_back(state_->place_of(j));
  std::vector<float> power(state_->stride(), 0.0F);
  const kernels::PowerTerm term{static_cast<float>(state_->base->plan->powers[branch.values].power),
                                static_cast<float>(scale_of(*state_, branch, place)), power.data()};
  reader->add(*state_, branch.graph, place, {&term, 1});
  return filter_column_at(branch.coefficients, std::move(power), items(), places,
                          [&](std::uint32_t i, const std::vector<float>& y) {
                            return reader->dot(*state_, branch, i, y.data());
                          });
}

void Scorer::add_similarities(std::size_t graph, std::uint32_t item, std::span<double> sums) const {
  const std::uint32_t place = state_->place_of(item);
  std::vector<float> row(state_->stride(), 0.0F);
  const kernels::PowerTerm term{1.0F, 1.0F, row.data()};
  workers_->readers.lend()->add(*state_, graph, place, {&term, 1});
  const double own = std::exp2(static_cast<double>((*state_->links->graphs[graph].shift)[place]));
  for (std::uint32_t j = 0; j < items(); ++j) {
    sums[state_->item_at(j)] += static_cast<double>(row[j]) * own;
  }
}

void Scorer::save(Parts& /*parts*/) const {
  throw Error(ErrorCode::unsupported, "a state of a live model is not saved", {},
              "fit a model on its ratings and save that");
}

GraphSize Scorer::size() const noexcept {
  GraphSize size{.bytes = state_->link_bytes()};
  for (const Graph& graph : state_->links->graphs) size.entries += graph.entries;
  return size;
}

}  // namespace palate::live
