#include "live/scorer.hpp"

#include <cmath>

#include "palate/error.hpp"
#include "ranking/select.hpp"

namespace palate::live {

void Scorer::recommend(std::span<const Query> queries, std::span<const Signal> signals,
                       std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) const {
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

void Scorer::score(std::span<const Signal> signals, std::span<float> scores) const {
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

void Scorer::score_at(std::span<const Signal> signals, std::span<const std::uint32_t> at,
                      std::span<float> scores) const {
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

// By symmetry a column is a row.
std::vector<double> Scorer::filter_column(const Branch& branch, std::uint32_t item,
                                          std::span<const std::uint32_t> at) const {
  const auto reader = workers_->readers.lend();
  const std::uint32_t place = state_->place_of(item);
  std::vector<float> filtered(state_->stride(), 0.0F);  // P_f^k e_item
  const kernels::PowerTerm term{static_cast<float>(state_->base->plan->powers[branch.values].power),
                                static_cast<float>(scale_of(*state_, branch, place)),
                                filtered.data()};
  reader->add(*state_, branch.graph, place, {&term, 1});
  std::vector<double> column(at.size(), 0.0);
  for (std::size_t k = 0; k < branch.coefficients.size(); ++k) {
    const double a = branch.coefficients[k];
    if (k > 0 && k + 1 == branch.coefficients.size()) {  // needed at the rated items alone
      for (std::size_t n = 0; n < at.size(); ++n) {
        column[n] += a * reader->dot(*state_, branch, state_->place_of(at[n]), filtered.data());
      }
      break;
    }
    if (k > 0) {
      std::vector<float> next(filtered.size(), 0.0F);
      for (std::uint32_t i = 0; i < items(); ++i) {
        next[i] = static_cast<float>(reader->dot(*state_, branch, i, filtered.data()));
      }
      filtered.swap(next);
    }
    for (std::size_t n = 0; n < at.size(); ++n) {
      column[n] += a * static_cast<double>(filtered[state_->place_of(at[n])]);
    }
  }
  return column;
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

std::size_t Scorer::entries() const noexcept {
  std::size_t entries = 0;
  for (const Graph& graph : state_->links->graphs) entries += graph.entries;
  return entries;
}

}  // namespace palate::live
