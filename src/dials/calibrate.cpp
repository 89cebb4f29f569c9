// How strong a dial has to be. Scores of one method spread over a factor of two within a list,
// those of another over a hundredth of that, so that one strength for all would move one list not
// at all and turn over another.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dials/dials.hpp"

namespace palate {
namespace {

constexpr std::size_t list_length = 10;
constexpr float strongest = 0.5F;
constexpr int halvings = 14;  // of the interval that holds the strength

// The best items of one person: the logarithm of each score, and z of one criterion.
struct Pool {
  std::vector<float> logs;
  std::vector<float> z;
};

// The sum of z over the best of the pool with a step.
double best_sum(const Pool& pool, float step, std::vector<std::pair<float, float>>& scratch) {
  scratch.clear();
  for (std::size_t k = 0; k < pool.logs.size(); ++k) {
    scratch.emplace_back(-(pool.logs[k] + step * pool.z[k]), pool.z[k]);
  }
  const auto end =
      scratch.begin() + static_cast<std::ptrdiff_t>(std::min(list_length, scratch.size()));
  std::partial_sort(scratch.begin(), end, scratch.end());
  return std::accumulate(scratch.begin(), end, 0.0, [](double sum, const auto& one) {
    return sum + static_cast<double>(one.second);
  });
}

// The strength in one direction. The sum of z over the best never falls as the step rises: with a
// larger step the choice of ten that is best by the logarithm trades more of it for z.
float strength(std::span<const Pool> pools, float sign) {
  std::vector<std::pair<float, float>> scratch;
  double places = 0;
  for (const Pool& pool : pools) {
    places += static_cast<double>(std::min(list_length, pool.logs.size()));
  }
  if (places == 0) return 0;
  const auto mean = [&](float step) {
    double sum = 0;
    for (const Pool& pool : pools) sum += best_sum(pool, step, scratch);
    return sum / places;
  };
  const double before = mean(0);
  float low = 0;
  float high = strongest;
  for (int k = 0; k < halvings; ++k) {
    const float middle = (low + high) / 2;
    const double moved = static_cast<double>(sign) * (mean(sign * middle) - before);
    (moved < shift_of_a_doubling ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::vector<DialStrength> calibrate_dials(const Recommender& recommender,
                                          const Contrasts& contrasts, std::span<const Query> people,
                                          ThreadPool& pool) {
  std::vector<std::vector<ScoredItem>> lists(people.size());
  recommender.recommend(people, lists, pool);
  std::vector<DialStrength> out(contrasts.criteria());
  pool.for_chunks(2 * out.size(), 1, [&](std::size_t task, std::size_t, unsigned) {
    const std::size_t c = task / 2;
    const std::span<const float> z = contrasts.of(c);
    if (std::all_of(z.begin(), z.end(), [](float one) { return one == 0; })) return;
    std::vector<Pool> pools(lists.size());
    for (std::size_t p = 0; p < lists.size(); ++p) {
      for (const ScoredItem& one : lists[p]) {
        if (one.score <= 0) continue;
        pools[p].logs.push_back(std::log(one.score));
        pools[p].z.push_back(z[one.item]);
      }
    }
    (task % 2 == 0 ? out[c].up : out[c].down) = strength(pools, task % 2 == 0 ? 1.0F : -1.0F);
  });
  return out;
}

}  // namespace palate
