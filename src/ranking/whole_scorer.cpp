#include "ranking/whole_scorer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>

#include "kernels/lists/strip_score.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

using kernels::score_width;

// Of fewer people than this each is served by one worker, of more each strip.
constexpr std::size_t crowd_for_strips = 64;
constexpr float lowest_score = std::numeric_limits<float>::lowest();

using Scores = std::array<float, score_width>;

// The signals of some people: places of what they rated, and x of all branches side by side.
class Crowd {
 public:
  Crowd(const WholeFilters& filters, std::span<const Signal> signals)
      : filters_(filters), starts_(signals.size() + 1) {
    for (std::size_t p = 0; p < signals.size(); ++p) {
      starts_[p + 1] = starts_[p] + signals[p].ratings.size();
    }
    places_.resize(starts_.back());
    x_.resize(starts_.back() * filters.branches());
  }

  void place(std::size_t p, const Signal& signal) {
    const std::size_t branches = filters_.branches();
    float* x = x_.data() + starts_[p] * branches;
    for (std::size_t k = 0; k < signal.ratings.size(); ++k) {
      places_[starts_[p] + k] = filters_.order.place_of[signal.ratings.items[k]];
      for (std::size_t b = 0; b < branches; ++b) {
        *x++ = signal.at(k, filters_.plan->branches[b].criteria, filters_.plan->criteria);
      }
    }
  }
  /// Returns those of at least `least` as bits.
  std::uint32_t score(std::size_t p, std::size_t strip, float least,
                      Scores& scores) const noexcept {
    return kernels::score_strip(filters_.entries.data() + filters_.offset(strip),
                                filters_.branches(),
                                std::span(places_).subspan(starts_[p], starts_[p + 1] - starts_[p]),
                                x_.data() + starts_[p] * filters_.branches(), least, scores.data());
  }

 private:
  const WholeFilters& filters_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> places_;
  std::vector<float> x_;
};

// Which of the items may be in each list: a mask per strip.
class Wanted {
 public:
  Wanted(const WholeFilters& filters, std::size_t people)
      : filters_(filters), masks_(filters.strips() * people, ~0U) {}

  void set(std::size_t p, const Query& query) {
    std::uint32_t* masks = masks_.data() + p * filters_.strips();
    const auto drop = [&](std::uint32_t item) {
      const std::uint32_t place = filters_.order.place_of[item];
      masks[place / score_width] &= ~(1U << place % score_width);
    };
    const std::size_t rest = filters_.items() % score_width;
    if (rest > 0) masks[filters_.strips() - 1] = (1U << rest) - 1;
    for (std::size_t k = 0; query.exclude_seen && k < query.ratings.size(); ++k) {
      if ((query.ratings.present[k] & 1U) != 0) drop(query.ratings.items[k]);
    }
    for (std::uint32_t i = 0; i < query.allowed.size() && i < filters_.items(); ++i) {
      if (query.allowed[i] == 0) drop(i);
    }
  }
  [[nodiscard]] std::uint32_t of(std::size_t p, std::size_t strip) const noexcept {
    return masks_[p * filters_.strips() + strip];
  }

 private:
  const WholeFilters& filters_;
  std::vector<std::uint32_t> masks_;
};

class ListMaker {
 public:
  ListMaker(const WholeFilters& filters, std::span<const Query> queries,
            std::span<const Signal> signals, ThreadPool& pool)
      : filters_(filters),
        queries_(queries),
        pool_(pool),
        crowd_(filters, signals),
        least_(queries.size()),
        most_boost_(queries.size(), 1.0F),
        wanted_(filters, queries.size()) {
    pool.for_chunks(queries.size(), 128, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t p = begin; p < end; ++p) {
        crowd_.place(p, signals[p]);
        least_[p] = queries[p].top > 0 ? lowest_score : std::numeric_limits<float>::infinity();
        wanted_.set(p, queries[p]);
        const std::span<const float> boost = queries[p].boost;
        if (!boost.empty()) most_boost_[p] = *std::max_element(boost.begin(), boost.end());
      }
    });
  }

  void run(std::span<std::vector<ScoredItem>> lists) {
    if (queries_.size() < crowd_for_strips) {
      pool_.for_chunks(queries_.size(), 1, [&](std::size_t p, std::size_t, unsigned) {
        kernels::TopK top;
        top.reset(places_for(p));
        for (std::size_t strip = 0; strip < filters_.strips(); ++strip) offer(p, strip, top);
        lists[p] = to_list(top);
      });
      return;
    }
    // A strip stays in the cache of the worker that serves everybody by it.
    std::vector<std::vector<kernels::TopK>> found(pool_.size());
    pool_.for_chunks(filters_.strips(), 1, [&](std::size_t strip, std::size_t, unsigned worker) {
      if (found[worker].empty()) {
        found[worker].resize(queries_.size());
        for (std::size_t p = 0; p < queries_.size(); ++p) found[worker][p].reset(places_for(p));
      }
      for (std::size_t p = 0; p < queries_.size(); ++p) offer(p, strip, found[worker][p]);
    });
    pool_.for_chunks(queries_.size(), 128, [&](std::size_t begin, std::size_t end, unsigned) {
      kernels::TopK top;
      for (std::size_t p = begin; p < end; ++p) {
        top.reset(places_for(p));
        for (std::vector<kernels::TopK>& some : found) {
          if (some.empty()) continue;
          for (const auto& [score, item] : some[p].sorted()) top.offer(score, item);
        }
        lists[p] = to_list(top);
      }
    });
  }

 private:
  [[nodiscard]] std::size_t places_for(std::size_t p) const noexcept {
    return std::min(queries_[p].top, filters_.items());
  }
  // Those of 32 items that are wanted and good enough.
  void offer(std::size_t p, std::size_t strip, kernels::TopK& top) {
    Scores scores;
    float least = least_[p].load(std::memory_order_relaxed);
    const std::span<const float> boost = queries_[p].boost;
    std::uint32_t lanes =
        crowd_.score(p, strip, boost.empty() ? least : before_boost(least, most_boost_[p]), scores);
    if (lanes == 0) return;
    for (lanes &= wanted_.of(p, strip); lanes != 0; lanes &= lanes - 1) {
      const auto c = static_cast<std::size_t>(std::countr_zero(lanes));
      const std::uint32_t item = filters_.order.item_at[strip * score_width + c];
      top.offer(boosted(scores[c], boost_of(queries_[p], item)), item);
    }
    if (!top.full()) return;
    while (least < top.worst() && !least_[p].compare_exchange_weak(least, top.worst())) {
    }
  }

  const WholeFilters& filters_;
  std::span<const Query> queries_;
  ThreadPool& pool_;
  Crowd crowd_;
  // Per person: what is below is in no list, because some worker knows enough that is not.
  std::vector<std::atomic<float>> least_;
  std::vector<float> most_boost_;
  Wanted wanted_;
};

}  // namespace

void WholeScorer::recommend(Queries queries, Signals signals, Lists lists, ThreadPool& pool) const {
  ListMaker(graphs_, queries, signals, pool).run(lists);
}

void WholeScorer::score(Signals signals, std::span<float> scores) const {
  Crowd crowd(graphs_, signals);
  Scores some;
  for (std::size_t p = 0; p < signals.size(); ++p) {
    crowd.place(p, signals[p]);
    for (std::size_t place = 0; place < items(); ++place) {
      if (place % score_width == 0) crowd.score(p, place / score_width, lowest_score, some);
      scores[p * items() + graphs_.order.item_at[place]] = some[place % score_width];
    }
  }
}

void WholeScorer::score_at(Signals signals, Items at, std::span<float> scores) const {
  Crowd crowd(graphs_, signals);
  Scores some;
  for (std::size_t p = 0; p < signals.size(); ++p) {
    crowd.place(p, signals[p]);
    for (std::size_t k = 0; k < at.size(); ++k) {
      const std::uint32_t place = graphs_.order.place_of[at[k]];
      crowd.score(p, place / score_width, lowest_score, some);
      scores[p * at.size() + k] = some[place % score_width];
    }
  }
}

GraphScorer::Column WholeScorer::filter_column(const Branch& branch, std::uint32_t item,
                                               Items at) const {
  const std::vector<Branch>& all = graphs_.plan->branches;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Branch& one) {
    return one.values == branch.values && one.coefficients == branch.coefficients;
  });
  const auto b = static_cast<std::size_t>(found - all.begin());
  Column column;
  for (const std::uint32_t j : at) {
    column.push_back(static_cast<double>(
        graphs_.at(b, graphs_.order.place_of[j], graphs_.order.place_of[item])));
  }
  return column;
}

}  // namespace palate
