#include "api/standing.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "kernels/lists/boosts.hpp"

namespace palate {
namespace {

// The items that the person rated overall.
std::vector<std::uint32_t> rated_by(const Query& query) {
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < query.ratings.size(); ++k) {
    if ((query.ratings.present[k] & 1U) != 0) out.push_back(query.ratings.items[k]);
  }
  return out;
}

std::size_t count_rated(const Query& query) {
  const auto& present = query.ratings.present;
  return static_cast<std::size_t>(std::count_if(present.begin(), present.end(),
                                                [](std::uint32_t one) { return (one & 1U) != 0; }));
}

bool holds(std::span<const std::uint32_t> ascending, std::uint32_t item) {
  return std::binary_search(ascending.begin(), ascending.end(), item);
}

double match(std::size_t lower, std::size_t others) {
  return others == 0 ? 100.0 : 100.0 * static_cast<double>(lower) / static_cast<double>(others);
}

// Of each of the items, by the scores of all. The items themselves go by these scores too, so that
// no rounding comes between.
std::vector<double> by_all_scores(const Line& line, std::span<const std::uint32_t> rated,
                                  std::span<const std::uint32_t> items) {
  std::vector<float> scores(line.recommender.items());
  line.recommender.score(line.query, scores);
  if (!line.query.boost.empty()) kernels::boost_scores(scores, line.query.boost);
  std::vector<float> levels;
  for (const std::uint32_t item : items) levels.push_back(scores[item]);
  std::sort(levels.begin(), levels.end());
  std::vector<std::size_t> below(levels.size() + 1);  // items below a level, and not below the last
  auto next = rated.begin();
  for (std::uint32_t i = 0; i < scores.size(); ++i) {
    if (next != rated.end() && *next == i) {
      ++next;
    } else if (line.gone.empty() || line.gone[i] != 0) {
      ++below[static_cast<std::size_t>(std::upper_bound(levels.begin(), levels.end(), scores[i]) -
                                       levels.begin())];
    }
  }
  for (std::size_t k = 1; k < below.size(); ++k) below[k] += below[k - 1];
  const std::size_t waiting = line.known - rated.size();
  std::vector<double> out;
  for (const std::uint32_t item : items) {
    const auto at = std::lower_bound(levels.begin(), levels.end(), scores[item]);
    out.push_back(match(below[static_cast<std::size_t>(at - levels.begin())],
                        waiting - (holds(rated, item) ? 0 : 1)));
  }
  return out;
}

std::vector<std::uint32_t> items_of(std::span<const ScoredItem> list) {
  std::vector<std::uint32_t> out;
  for (const ScoredItem& one : list) out.push_back(one.item);
  return out;
}

}  // namespace

std::vector<double> matches(const Line& line, std::span<const ScoredItem> list, std::size_t shown,
                            bool whole) {
  std::vector<std::uint32_t> rated;  // where they may be in the list
  if (!line.query.exclude_seen) rated = rated_by(line.query);
  const std::size_t waiting = line.known - count_rated(line.query);
  std::vector<double> out;
  out.reserve(shown);
  std::size_t above = 0;  // of those that wait in line
  for (std::size_t first = 0; first < shown && whole;) {
    std::size_t end = first;
    std::size_t equal = 0;
    for (; end < list.size() && list[end].score == list[first].score; ++end) {
      equal += holds(rated, list[end].item) ? 0 : 1;
    }
    // Equals may follow behind the end of the list.
    if (end == list.size() && above + equal < waiting) break;
    for (; first < std::min(end, shown); ++first) {
      const bool waits = !holds(rated, list[first].item);
      out.push_back(match(waiting - above - equal, waiting - (waits ? 1 : 0)));
    }
    first = end;
    above += equal;
  }
  if (out.size() < shown) {
    const std::vector<std::uint32_t> rest = items_of(list.subspan(out.size(), shown - out.size()));
    const std::vector<double> found = by_all_scores(line, rated_by(line.query), rest);
    out.insert(out.end(), found.begin(), found.end());
  }
  // Lists and scores of all are summed in different orders, so that a near tie may fall either way.
  for (std::size_t k = 1; k < out.size(); ++k) out[k] = std::min(out[k], out[k - 1]);
  return out;
}

double match_of(const Line& line, std::uint32_t item) {
  // Most who ask are asking about an item near the top, and a list costs far less than all scores.
  constexpr std::size_t near_top = 20;
  Line near = line;
  near.query.top = std::min(near_top + 1, line.recommender.items());
  std::vector<ScoredItem> list;
  ThreadPool pool(1);
  line.recommender.recommend({&near.query, 1}, {&list, 1}, pool);
  const std::size_t shown = std::min(near_top, list.size());
  const auto at = std::find_if(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(shown),
                               [item](const ScoredItem& one) { return one.item == item; });
  const auto place = static_cast<std::size_t>(at - list.begin());
  if (place < shown) return matches(near, list, place + 1, true).back();
  return by_all_scores(line, rated_by(line.query), {&item, 1}).front();
}

}  // namespace palate
