#include "methods/linear/dense_lists.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/dense/strip.hpp"
#include "kernels/dense/weighted_rows.hpp"
#include "kernels/lists/boosts.hpp"
#include "ranking/select.hpp"

namespace palate {
namespace {

using kernels::block_width;

// Columns that are taken out of the matrix together: with their rows they stay near the core while
// everyone is scored on them. Two cache lines of a row.
template <class Number>
constexpr std::size_t panel = 128 / sizeof(Number);
constexpr std::size_t at_once = 4096;

void add_up(const float* matrix, std::size_t stride, std::span<const std::uint32_t> rows,
            std::span<const float> x, std::size_t width, float* out) {
  kernels::weighted_rows(matrix, stride, rows, x, width, out);
}
void add_up(const std::int16_t* matrix, std::size_t stride, std::span<const std::uint32_t> rows,
            std::span<const float> x, std::size_t width, float* out) {
  kernels::weighted_short_rows(matrix, stride, rows, x, width, out);
}

constexpr float never = -std::numeric_limits<float>::infinity();

// Everyone's best few among the items that one worker has looked at.
using Best = std::vector<kernels::TopK>;

// Number: float, or short integers.
template <class Number>
class Panels {
 public:
  Panels(const DenseWeights& weights, std::span<const Number> matrix,
         std::span<const Asking> askings, ThreadPool& pool)
      : weights_(weights),
        matrix_(matrix),
        askings_(askings),
        best_(pool.size()),
        packed_(pool.size()) {
    const std::size_t count = (weights.items + width - 1) / width;
    pool.for_chunks(count, 1, [this](std::size_t p, std::size_t, unsigned worker) {
      score(p * width, worker);
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
  static constexpr std::size_t width = panel<Number>;

  void score(std::size_t first, unsigned worker) {
    const std::size_t columns = std::min(width, weights_.items - first);
    std::vector<Number>& packed = packed_[worker];
    packed.resize(weights_.items * width);
    for (std::size_t j = 0; j < weights_.items; ++j) {
      std::copy_n(matrix_.data() + j * weights_.items + first, columns, packed.data() + j * width);
    }
    Best& best = best_[worker];
    if (best.empty()) {
      best.resize(askings_.size());
      for (std::size_t k = 0; k < best.size(); ++k) {
        best[k].reset(std::min(askings_[k].top, weights_.items));
      }
    }
    for (std::size_t k = 0; k < askings_.size(); ++k) {
      if (askings_[k].top > 0) offer(askings_[k], packed, first, columns, best[k]);
    }
  }

  void offer(const Asking& asking, const std::vector<Number>& packed, std::size_t first,
             std::size_t columns, kernels::TopK& best) const {
    alignas(64) std::array<float, width> scores;
    add_up(packed.data(), width, asking.rated, asking.x, width, scores.data());
    if (!weights_.targets.empty()) {
      for (std::size_t c = 0; c < columns; ++c) scores[c] *= weights_.targets[first + c];
    }
    if (!asking.boost.empty()) {
      kernels::boost_scores(std::span(scores).first(columns), asking.boost.subspan(first, columns));
    }
    std::fill(scores.begin() + static_cast<std::ptrdiff_t>(columns), scores.end(), never);
    const auto hidden = asking.hidden;
    for (auto at = std::lower_bound(hidden.begin(), hidden.end(), first);
         at != hidden.end() && *at < first + columns; ++at) {
      scores[*at - first] = never;
    }
    for (std::size_t c = 0; c < columns && !asking.allowed.empty(); ++c) {
      if (asking.allowed[first + c] == 0) scores[c] = never;
    }
    const float least = best.full() ? best.worst() : std::numeric_limits<float>::lowest();
    for (std::size_t part = 0; part < width; part += block_width) {
      std::uint32_t passing = kernels::at_least(scores.data() + part, least);
      for (; passing != 0; passing &= passing - 1) {
        const std::size_t c = part + static_cast<std::size_t>(std::countr_zero(passing));
        best.offer(scores[c], static_cast<std::uint32_t>(first + c));
      }
    }
  }

  const DenseWeights& weights_;
  std::span<const Number> matrix_;
  std::span<const Asking> askings_;
  std::vector<Best> best_;                   // per worker, then per person
  std::vector<std::vector<Number>> packed_;  // per worker
};

template <class Number>
void lists_by_panels(const DenseWeights& weights, std::span<const Number> matrix,
                     std::span<const Asking> askings, std::span<std::vector<ScoredItem>> lists,
                     ThreadPool& pool) {
  for (std::size_t begin = 0; begin < askings.size(); begin += at_once) {
    const auto some = askings.subspan(begin, std::min(at_once, askings.size() - begin));
    Panels panels(weights, matrix, some, pool);
    pool.for_chunks(some.size(), 64, [&](std::size_t from, std::size_t to, unsigned) {
      for (std::size_t k = from; k < to; ++k) lists[begin + k] = panels.list(k);
    });
  }
}

}  // namespace

void dense_scores(const DenseWeights& weights, std::span<const std::uint32_t> rated,
                  std::span<const float> x, std::span<float> scores) {
  const std::size_t items = weights.items;
  if (weights.shorts.empty()) {
    add_up(weights.weights.data(), items, rated, x, items, scores.data());
  } else {
    add_up(weights.shorts.data(), items, rated, x, items, scores.data());
  }
  for (std::size_t i = 0; i < weights.targets.size(); ++i) scores[i] *= weights.targets[i];
}

void dense_lists(const DenseWeights& weights, std::span<const Asking> askings,
                 std::span<std::vector<ScoredItem>> lists, ThreadPool& pool) {
  if (weights.shorts.empty()) {
    lists_by_panels(weights, weights.weights, askings, lists, pool);
  } else {
    lists_by_panels(weights, weights.shorts, askings, lists, pool);
  }
}

}  // namespace palate
