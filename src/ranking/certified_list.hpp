// A list that is certain, without the scores of all items: score to within an interval, leave out
// what cannot be in the list, settle the rest exactly.
//
//   1. Search. Of every item that is looked at, the score lies within `radius` of `estimate`. The
//      K-th best of all lower bounds is surely reached by K items: what cannot reach it is not in
//      the list.
//   2. Settle. Radii come from second orders that are estimated, one part per branch. Branch by
//      branch, the one that leaves most open first, they are computed for the candidates, the best
//      bound first, until the next one cannot reach the K-th best lower bound any more.
//   3. What is left has its exact score, and the best K of it are the list.
//
// Where the estimates come from is the business of a view of the graph: fitted and live, dense and
// sparse graphs supply one each, as a template parameter.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/recommender.hpp"
#include "graph/tolerances.hpp"
#include "kernels/dense/strip.hpp"
#include "kernels/lists/top_k.hpp"
#include "ranking/select.hpp"

namespace palate {

/// An item that may be in a list.
struct Candidate {
  std::uint32_t place = 0;
  float first = 0;
  float estimate = 0;
  float radius = 0;   ///< the score is no farther from the estimate
  double second = 0;  ///< sum of a_2 y p_i over the branches that are done
  float boost = 1;    ///< of the item; estimate, radius and raw() are without

  [[nodiscard]] float upper() const noexcept { return boosted(estimate + radius, boost); }
  [[nodiscard]] float lower() const noexcept { return boosted(estimate - radius, boost); }
  [[nodiscard]] float raw() const noexcept {
    return static_cast<float>(static_cast<double>(first) + second);
  }
  [[nodiscard]] float score() const noexcept { return boosted(raw(), boost); }
  /// Where the estimate is all there is.
  [[nodiscard]] float estimated_score() const noexcept { return boosted(estimate, boost); }
  /// The second order of a branch is `exact` and not `estimated`, which might have been off by
  /// `width`. What is left is at least the rounding of the estimate.
  void settle(double exact, double estimated, float width) noexcept {
    second += exact;
    estimate = static_cast<float>(static_cast<double>(estimate) + exact - estimated);
    radius = std::max(radius - width, tolerance::score * std::abs(estimate));
  }
};

/// Keeps those whose upper bound reaches the K-th best of all lower bounds.
inline void prune(std::vector<Candidate>& candidates, std::size_t top) {
  kernels::TopK lower;
  lower.reset(top);
  for (const Candidate& one : candidates) lower.offer(one.lower(), one.place);
  if (top == 0 || !lower.full()) return;
  const float reach = lower.worst();
  std::erase_if(candidates, [reach](const Candidate& one) { return one.upper() < reach; });
}

/// Which of some branches first: width(m) is how far their estimates may be off, all in all.
template <class Width>
[[nodiscard]] std::vector<std::size_t> widest_first(std::size_t branches, const Width& width) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t m = 0; m < branches; ++m) order.emplace_back(-width(m), m);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> out;
  for (const auto& [wide, m] : order) out.push_back(m);
  return out;
}

/// Of 16 items side by side; upper is -infinity, or nothing, where an item is not wanted.
struct Intervals {
  std::array<float, kernels::block_width> first, estimate, radius, upper;
};

/// The search for one person's list. Scratch memory that is reused; one per worker.
class CertifiedList {
 public:
  /// `boost`: by place, as many as blocks of 16 hold; empty if there is none.
  void begin(std::size_t top, std::span<const float> boost = {}) {
    top_ = top;
    boost_ = boost;
    lower_.reset(top);
    candidates_.clear();
  }

  /// Whether as many items as are wanted have been offered.
  [[nodiscard]] bool full() const noexcept { return top_ > 0 && lower_.full(); }
  /// No item whose upper bound is below it is in the list.
  [[nodiscard]] float least() const noexcept {
    return full() ? lower_.worst() : std::numeric_limits<float>::lowest();
  }
  /// An item that may be in the list, as far as is known; it is passed over if it cannot.
  void offer(const Candidate& one) {
    const float reach = least();
    if (one.upper() < reach) return;
    const float low = one.lower();
    if (low >= reach) lower_.offer(low, one.place);
    candidates_.push_back(one);
  }
  /// Leaves out what has turned out not to reach least().
  void prune() {
    const float reach = least();
    std::erase_if(candidates_, [reach](const Candidate& one) { return one.upper() < reach; });
  }

  /// Offers the items of blocks of 16, and prunes. A view of blocks has
  ///   blocks()
  ///   may_reach(block, least, intervals): whether any item of it may reach `least`, by a bound
  ///     that is quicker to find
  ///   estimate(block, intervals): of its items, after may_reach has said so
  template <class View>
  void search(View& view) {
    Intervals some;
    for (std::size_t block = 0; block < view.blocks(); ++block) {
      const std::size_t from = block * kernels::block_width;
      const float reach = boost_.empty() ? least() : before_boost(least(), largest_boost(from));
      if (!view.may_reach(block, reach, some)) continue;
      view.estimate(block, some);
      std::uint32_t lanes = kernels::at_least(some.upper.data(), reach);
      for (; lanes != 0; lanes &= lanes - 1) {
        const auto c = static_cast<std::size_t>(std::countr_zero(lanes));
        offer({static_cast<std::uint32_t>(from + c), some.first[c], some.estimate[c],
               some.radius[c], 0.0, boost_.empty() ? 1.0F : boost_[from + c]});
      }
    }
    prune();
  }

  /// Calls settle(candidate) for those that may still be in the list, the best bound first.
  template <class Settle>
  void settle_each(const Settle& settle) {
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.upper() > b.upper() || (a.upper() == b.upper() && a.place < b.place);
    });
    lower_.reset(top_);
    std::size_t kept = 0;
    for (; kept < candidates_.size(); ++kept) {
      Candidate& one = candidates_[kept];
      if (one.upper() < least()) break;
      settle(one);
      lower_.offer(one.lower(), one.place);
    }
    candidates_.resize(kept);
  }

  /// All second orders, branch by branch. A view of second orders has
  ///   branches()
  ///   width(m, place): what branch m adds to the radius of an item, by width_factor(m)
  ///   width_factor(m)
  ///   exact(m, place) and estimated(m, place): the second order
  template <class View>
  void settle(View& view) {
    const auto all = [&](std::size_t m) {
      double sum = 0;
      for (const Candidate& one : candidates_) sum += static_cast<double>(view.width(m, one.place));
      return sum * static_cast<double>(view.width_factor(m));
    };
    for (const std::size_t m : widest_first(view.branches(), all)) {
      settle_each([&](Candidate& one) {
        one.settle(view.exact(m, one.place), view.estimated(m, one.place),
                   view.width_factor(m) * view.width(m, one.place));
      });
    }
  }

  [[nodiscard]] std::span<const Candidate> candidates() const noexcept { return candidates_; }

 private:
  [[nodiscard]] float largest_boost(std::size_t from) const {
    const float* const some = boost_.data() + from;
    return *std::max_element(some, some + kernels::block_width);
  }

  std::size_t top_ = 0;
  std::span<const float> boost_;
  kernels::TopK lower_;  // of lower bounds, by place
  std::vector<Candidate> candidates_;
};

/// The best of some candidates. score(candidate): its score; item_at(place): the item there.
template <class Score, class ItemAt>
[[nodiscard]] std::vector<ScoredItem> best_of(std::span<const Candidate> candidates,
                                              std::size_t top, const Score& score,
                                              const ItemAt& item_at) {
  kernels::TopK best;
  best.reset(std::min(top, candidates.size()));
  for (const Candidate& one : candidates) best.offer(score(one), item_at(one.place));
  return to_list(best);
}

}  // namespace palate
