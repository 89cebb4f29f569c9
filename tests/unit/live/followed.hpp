// A live model after random changes, and what its state should hold, added up plainly in double.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "live/base.hpp"
#include "live/graph_writer.hpp"
#include "live/writer.hpp"
#include "support/random_ratings.hpp"
#include "unit/methods/fitted.hpp"

namespace palate::testing {

using DoubleMatrix = std::vector<std::vector<double>>;

class Followed {
 public:
  Followed(const RandomShape& shape, const std::vector<Filter>& filters, std::uint64_t seed,
           std::size_t most_of_one = most_learned_of_one)
      : shape_(shape), random_(seed), pool_(1) {
    CaGf settings{.preference = 1.5, .computing = {.solver = Solver::exact}};
    const auto names = criterion_names(shape.criteria);
    for (std::size_t c = 0; c < names.size(); ++c) {
      settings.filters.push_back({names[c], filters[c % filters.size()]});
    }
    const Ratings ratings = random_ratings(shape, seed);
    const auto model = fitted(learned_ratings(ratings, most_of_one), settings, pool_, 0, 0);
    const auto base = std::make_shared<live::Base>(*live::make_base(ratings, *model));
    base->most_of_one = most_of_one;
    writer_.emplace(live::first_state(base));
    graph_.emplace(*writer_->state());
    writer_->give(graph_->links(), writer_->state()->version);
  }

  [[nodiscard]] const live::State& state() const { return *writer_->state(); }

  /// Some people change their minds, rate what is new or take ratings back.
  void change(std::size_t count) {
    std::vector<RatingChange> changes;
    for (std::size_t n = 0; n < count; ++n) {
      changes.push_back({"user " + std::to_string(random_.below(shape_.users + 2)),
                         "item/" + std::to_string(random_.below(shape_.items + 5)),
                         {}});
      if (random_.below(4) == 0) continue;
      for (std::size_t c = 0; c < shape_.criteria; ++c) {
        const bool absent = c > 0 && random_.below(4) == 0;
        changes.back().values.push_back(absent ? std::numeric_limits<float>::quiet_NaN()
                                               : 0.5F * static_cast<float>(1 + random_.below(10)));
      }
    }
    writer_->apply(changes);
    follow();
  }
  /// Everybody takes back all ratings of an item but the first `left`.
  void fade(std::uint32_t item, std::size_t left) {
    const std::vector<std::uint32_t> raters = *state().raters[item];
    for (std::size_t n = left; n < raters.size(); ++n) {
      const RatingChange gone{
          std::string(state().user_id(raters[n])), std::string(state().item_id(item)), {}};
      writer_->apply({&gone, 1});
      follow();
    }
  }

  /// N of a graph, by place.
  [[nodiscard]] DoubleMatrix sums(CriterionSet criteria) const {
    const live::State& now = state();
    const std::size_t width = now.base->criteria();
    DoubleMatrix out(now.items(), std::vector<double>(now.items(), 0.0));
    for (std::size_t u = 0; u < now.users.size(); ++u) {
      const UserRatings row = now.users[u].for_others();
      for (std::size_t c = 0; c < width; ++c) {
        if ((criteria >> c & 1U) == 0) continue;
        const auto value = [&](std::size_t k) {
          return static_cast<double>(row.values[k * width + c]);
        };
        double whole = 0;
        for (std::size_t k = 0; k < row.size(); ++k) whole += value(k);
        if (whole == 0) continue;
        for (std::size_t a = 0; a < row.size(); ++a) {
          for (std::size_t b = 0; b < row.size(); ++b) {
            out[now.place_of(row.items[a])][now.place_of(row.items[b])] +=
                value(a) * value(b) / whole;
          }
        }
      }
    }
    return out;
  }
  /// d_i of a graph, by place.
  [[nodiscard]] std::vector<double> item_sums(CriterionSet criteria) const {
    const live::State& now = state();
    const std::size_t width = now.base->criteria();
    std::vector<double> out(now.items(), 0.0);
    for (std::size_t u = 0; u < now.users.size(); ++u) {
      const UserRatings row = now.users[u].for_others();
      for (std::size_t k = 0; k < row.size(); ++k) {
        for (std::size_t c = 0; c < width; ++c) {
          if ((criteria >> c & 1U) == 0) continue;
          out[now.place_of(row.items[k])] += static_cast<double>(row.values[k * width + c]);
        }
      }
    }
    return out;
  }

 private:
  void follow() {
    const live::Waiting waiting = writer_->take_waiting();
    const auto links = graph_->follow(*writer_->state(), waiting);
    writer_->give(links, writer_->state()->version);
  }

  RandomShape shape_;
  Random random_;
  ThreadPool pool_;
  std::optional<live::Writer> writer_;
  std::optional<live::GraphWriter> graph_;
};

inline const RandomShape many_links{.users = 30, .items = 50, .criteria = 3, .density = 0.2};
inline const RandomShape few_links{
    .users = 60, .items = 150, .criteria = 3, .density = 0.012, .missing = 0.1};

}  // namespace palate::testing
