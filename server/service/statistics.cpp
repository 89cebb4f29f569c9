#include "server/service/statistics.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace palate::server {
namespace {

constexpr std::size_t most_bars = 24;
constexpr std::size_t curve_points = 100;
constexpr std::size_t top_items = 20;

struct Column {
  std::map<float, std::size_t> counts;  ///< by value
  double sum = 0;
  std::size_t number = 0;
};

Json histogram(const Column& column) {
  Json bars = Json::array();
  if (column.counts.empty()) return bars;
  if (column.counts.size() <= most_bars) {
    for (const auto& [value, count] : column.counts) {
      bars.push_back({{"from", decimal(value)}, {"to", decimal(value)}, {"count", count}});
    }
    return bars;
  }
  const double low = column.counts.begin()->first;
  const double high = column.counts.rbegin()->first;
  const double width = (high - low) / static_cast<double>(most_bars);
  std::vector<std::size_t> counts(most_bars, 0);
  for (const auto& [value, count] : column.counts) {
    const auto bar = static_cast<std::size_t>((value - low) / width);
    counts[std::min(bar, most_bars - 1)] += count;
  }
  for (std::size_t k = 0; k < most_bars; ++k) {
    bars.push_back({{"from", low + width * static_cast<double>(k)},
                    {"to", low + width * static_cast<double>(k + 1)},
                    {"count", counts[k]}});
  }
  return bars;
}

Json criterion_json(const Criterion& criterion, const Column& column, std::size_t pairs) {
  const double missing =
      pairs == 0 ? 0 : 1 - static_cast<double>(column.number) / static_cast<double>(pairs);
  const Json mean =
      column.number == 0 ? Json(nullptr) : Json(column.sum / static_cast<double>(column.number));
  return {{"name", criterion.name},
          {"min", decimal(criterion.min)},
          {"max", decimal(criterion.max)},
          {"ratings", column.number},
          {"missing", missing},
          {"mean", mean},
          {"histogram", histogram(column)}};
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

Json statistics_json(const Ratings& ratings) {
  const std::size_t width = ratings.criteria().size();
  std::vector<Column> columns(width);
  std::vector<std::size_t> raters(ratings.items(), 0);
  std::vector<std::size_t> lengths;
  for (std::uint32_t user = 0; user < ratings.users(); ++user) {
    const UserRatings mine = ratings.of(user);
    lengths.push_back(mine.size());
    for (std::size_t k = 0; k < mine.size(); ++k) {
      ++raters[mine.items[k]];
      for (std::size_t c = 0; c < width; ++c) {
        if ((mine.present[k] >> c & 1U) == 0) continue;
        const float value = mine.values[k * width + c];
        ++columns[c].counts[value];
        columns[c].sum += value;
        ++columns[c].number;
      }
    }
  }
  Json criteria = Json::array();
  for (std::size_t c = 0; c < width; ++c) {
    criteria.push_back(criterion_json(ratings.criteria()[c], columns[c], ratings.interactions()));
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
