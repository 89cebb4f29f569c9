#include "server/service/statistics.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace palate::server {
namespace {

constexpr std::size_t bars_shown = 24;
constexpr std::size_t curve_points = 100;
constexpr std::size_t top_items = 20;

Json criterion_json(const Ratings& ratings, std::size_t c) {
  const Distribution found = distribution(ratings, c, bars_shown);
  Json bars = Json::array();
  for (const Distribution::Bar& bar : found.bars) {
    const bool single = bar.from == bar.to;
    bars.push_back({{"from", single ? decimal(static_cast<float>(bar.from)) : bar.from},
                    {"to", single ? decimal(static_cast<float>(bar.to)) : bar.to},
                    {"count", bar.count}});
  }
  const Criterion& criterion = ratings.criteria()[c];
  const std::size_t pairs = ratings.interactions();
  const double missing =
      pairs == 0 ? 0 : 1 - static_cast<double>(found.ratings) / static_cast<double>(pairs);
  return {{"name", criterion.name},
          {"min", decimal(criterion.min)},
          {"max", decimal(criterion.max)},
          {"ratings", found.ratings},
          {"missing", missing},
          {"mean", found.ratings == 0 ? Json(nullptr) : Json(found.mean)},
          {"histogram", std::move(bars)}};
}

Json long_tail(const Ratings& ratings, std::vector<std::size_t> raters) {
  std::vector<std::uint32_t> order(raters.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return raters[a] > raters[b]; });
  const auto total = static_cast<double>(std::accumulate(raters.begin(), raters.end(), 0UL));
  Json points = Json::array();
  points.push_back({0.0, 0.0});
  double sum = 0;
  std::size_t next = 1;
  for (std::size_t k = 0; k < order.size() && total > 0; ++k) {
    sum += static_cast<double>(raters[order[k]]);
    if ((k + 1) * curve_points < next * order.size()) continue;
    points.push_back({static_cast<double>(k + 1) / static_cast<double>(order.size()), sum / total});
    while ((k + 1) * curve_points >= next * order.size()) ++next;
  }
  Json top = Json::array();
  for (std::size_t k = 0; k < std::min(order.size(), top_items); ++k) {
    top.push_back({{"item", ratings.item_id(order[k])},
                   {"title", ratings.item_title(order[k])},
                   {"raters", raters[order[k]]}});
  }
  return {{"points", std::move(points)}, {"top", std::move(top)}};
}

}  // namespace

Distribution distribution(const Ratings& ratings, std::size_t criterion, std::size_t most_bars) {
  const std::size_t width = ratings.criteria().size();
  std::map<float, std::size_t> seen;
  Distribution out;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings mine = ratings.of(user);
    for (std::size_t k = 0; k < mine.size(); ++k) {
      if ((mine.present[k] >> criterion & 1U) == 0) continue;
      const float value = mine.values[k * width + criterion];
      ++seen[value];
      out.mean += value;
      ++out.ratings;
    }
  }
  if (out.ratings == 0) return out;
  out.mean /= static_cast<double>(out.ratings);
  if (seen.size() <= most_bars) {
    for (const auto& [value, count] : seen) out.bars.push_back({value, value, count});
    return out;
  }
  const double low = seen.begin()->first;
  const double step = (seen.rbegin()->first - low) / static_cast<double>(most_bars);
  for (std::size_t b = 0; b < most_bars; ++b) {
    const auto k = static_cast<double>(b);
    out.bars.push_back({low + step * k, low + step * (k + 1), 0});
  }
  for (const auto& [value, count] : seen) {
    const auto b = static_cast<std::size_t>((value - low) / step);
    out.bars[std::min(b, most_bars - 1)].count += count;
  }
  return out;
}

Json statistics_json(const Ratings& ratings) {
  std::vector<std::size_t> raters(ratings.items(), 0);
  std::vector<std::size_t> lengths;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings mine = ratings.of(user);
    lengths.push_back(mine.size());
    for (const std::uint32_t item : mine.items) ++raters[item];
  }
  Json criteria = Json::array();
  for (std::size_t c = 0; c < ratings.criteria().size(); ++c) {
    criteria.push_back(criterion_json(ratings, c));
  }
  std::sort(lengths.begin(), lengths.end());
  const auto users = static_cast<double>(std::max<std::size_t>(1, lengths.size()));
  Json per_user = {{"min", lengths.empty() ? 0 : lengths.front()},
                   {"median", lengths.empty() ? 0 : lengths[lengths.size() / 2]},
                   {"mean", static_cast<double>(ratings.interactions()) / users},
                   {"max", lengths.empty() ? 0 : lengths.back()}};
  return {{"criteria", std::move(criteria)},
          {"long_tail", long_tail(ratings, std::move(raters))},
          {"ratings_per_user", std::move(per_user)}};
}

}  // namespace palate::server
