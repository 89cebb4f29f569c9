#include "methods/linear/dense_lists.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/dense/strip.hpp"
#include "kernels/dense/weighted_rows.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

using kernels::block_width;

// Columns that are taken out of the matrix together: with their rows they stay near the core while
// everyone is scored on them.
constexpr std::size_t panel = 2 * block_width;
// Below so many people taking panels out is not worth it.
constexpr std::size_t few = 32;
constexpr std::size_t at_once = 4096;

constexpr float never = -std::numeric_limits<float>::infinity();

// Everyone's best few among the items that one worker has looked at.
using Best = std::vector<kernels::TopK>;

class Panels {
 public:
  Panels(const DenseWeights& weights, std::span<const Asking> askings, ThreadPool& pool)
      : weights_(weights), askings_(askings), best_(pool.size()), packed_(pool.size()) {
    const std::size_t count = (weights.items + panel - 1) / panel;
    pool.for_chunks(count, 1, [this](std::size_t p, std::size_t, unsigned worker) {
      score(p * panel, worker);
    });
  }

  [[nodiscard]] std::vector<ScoredItem> list(std::size_t k) {
    kernels::TopK all;
    all.reset(std::min(askings_[k].top, weights_.items));
    for (Best& best : best_) {
      if (best.empty()) continue;
      for (const auto& [score, item] : best[k].sorted()) all.offer(score, item);
    }
    return to_list(all);
  }

 private:
  void score(std::size_t first, unsigned worker) {
    const std::size_t width = std::min(panel, weights_.items - first);
    std::vector<float>& packed = packed_[worker];
    packed.resize(weights_.items * panel);
    for (std::size_t j = 0; j < weights_.items; ++j) {
      std::copy_n(weights_.weights.data() + j * weights_.items + first, width,
                  packed.data() + j * panel);
    }
    Best& best = best_[worker];
    if (best.empty()) {
      best.resize(askings_.size());
      for (std::size_t k = 0; k < best.size(); ++k) {
        best[k].reset(std::min(askings_[k].top, weights_.items));
      }
    }
    for (std::size_t k = 0; k < askings_.size(); ++k) {
      if (askings_[k].top > 0) offer(askings_[k], packed, first, width, best[k]);
    }
  }

  void offer(const Asking& asking, const std::vector<float>& packed, std::size_t first,
             std::size_t width, kernels::TopK& best) const {
    alignas(64) std::array<float, panel> scores;
    kernels::weighted_rows(packed.data(), panel, asking.rated, asking.x, panel, scores.data());
    if (!weights_.targets.empty()) {
      for (std::size_t c = 0; c < width; ++c) scores[c] *= weights_.targets[first + c];
    }
    std::fill(scores.begin() + static_cast<std::ptrdiff_t>(width), scores.end(), never);
    const auto hidden = asking.hidden;
    for (auto at = std::lower_bound(hidden.begin(), hidden.end(), first);
         at != hidden.end() && *at < first + width; ++at) {
      scores[*at - first] = never;
    }
    for (std::size_t c = 0; c < width && !asking.allowed.empty(); ++c) {
      if (asking.allowed[first + c] == 0) scores[c] = never;
    }
    const float least = best.full() ? best.worst() : std::numeric_limits<float>::lowest();
    for (std::size_t part = 0; part < panel; part += block_width) {
      std::uint32_t passing = kernels::at_least(scores.data() + part, least);
      for (; passing != 0; passing &= passing - 1) {
        const std::size_t c = part + static_cast<std::size_t>(std::countr_zero(passing));
        best.offer(scores[c], static_cast<std::uint32_t>(first + c));
      }
    }
  }

  const DenseWeights& weights_;
  std::span<const Asking> askings_;
  std::vector<Best> best_;                  // per worker, then per person
  std::vector<std::vector<float>> packed_;  // per worker
};

std::vector<ScoredItem> list_of(const DenseWeights& weights, const Asking& asking,
                                std::span<float> scores) {
  dense_scores(weights, asking, scores);
  for (const std::uint32_t item : asking.hidden) scores[item] = never;
  for (std::size_t i = 0; i < asking.allowed.size(); ++i) {
    if (asking.allowed[i] == 0) scores[i] = never;
  }
  return select_top({.ratings = {}, .top = asking.top}, scores);
}

}  // namespace

void dense_scores(const DenseWeights& weights, const Asking& asking, std::span<float> scores) {
  kernels::weighted_rows(weights.weights.data(), weights.items, asking.rated, asking.x,
                         weights.items, scores.data());
  for (std::size_t i = 0; i < weights.targets.size(); ++i) scores[i] *= weights.targets[i];
}

void dense_lists(const DenseWeights& weights, std::span<const Asking> askings,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) {
  if (askings.size() < few) {
    pool.for_chunks(askings.size(), 1, [&](std::size_t k, std::size_t, unsigned) {
      std::vector<float> scores(weights.items);
      lists[k] = list_of(weights, askings[k], scores);
    });
    return;
  }
  for (std::size_t begin = 0; begin < askings.size(); begin += at_once) {
    const auto some = askings.subspan(begin, std::min(at_once, askings.size() - begin));
    Panels panels(weights, some, pool);
    pool.for_chunks(some.size(), 64, [&](std::size_t from, std::size_t to, unsigned) {
      for (std::size_t k = from; k < to; ++k) lists[begin + k] = panels.list(k);
    });
  }
}

}  // namespace palate
