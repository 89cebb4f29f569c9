#include "palate/ratings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "core/ratings_data.hpp"

namespace palate {

Ratings::Ratings() {
  static const auto empty = [] {
    auto data = std::make_shared<Data>();
    data->catalogue = std::make_shared<const Catalogue>();
    data->offsets = Array<std::uint64_t>(std::vector<std::uint64_t>{0});
    return std::shared_ptr<const Data>(std::move(data));
  }();
  data_ = empty;
}

std::size_t Ratings::users() const noexcept { return data_->catalogue->users.size(); }
std::size_t Ratings::items() const noexcept { return data_->catalogue->items.size(); }
std::size_t Ratings::interactions() const noexcept { return data_->items.size(); }

std::size_t Ratings::ratings_of(std::size_t criterion) const noexcept {
  const auto bit = 1U << criterion;
  return static_cast<std::size_t>(
      std::count_if(data_->present.begin(), data_->present.end(),
                    [bit](std::uint32_t word) { return (word & bit) != 0; }));
}

std::span<const Criterion> Ratings::criteria() const noexcept { return data_->catalogue->criteria; }
bool Ratings::has_times() const noexcept { return !data_->times.empty(); }
bool Ratings::has_titles() const noexcept { return data_->catalogue->titles.size() > 0; }

UserRatings Ratings::of(std::uint32_t user) const noexcept {
  const std::size_t begin = data_->offsets[user];
  const std::size_t count = data_->offsets[user + 1] - begin;
  const std::size_t width = criteria().size();
  return {
      data_->items.span().subspan(begin, count),
      data_->values.span().subspan(begin * width, count * width),
      data_->present.span().subspan(begin, count),
      has_times() ? data_->times.span().subspan(begin, count) : std::span<const std::int64_t>{}};
}

std::string_view Ratings::user_id(std::uint32_t user) const noexcept {
  return data_->catalogue->users[user];
}
std::string_view Ratings::item_id(std::uint32_t item) const noexcept {
  return data_->catalogue->items[item];
}
std::string_view Ratings::item_title(std::uint32_t item) const noexcept {
  const StringTable& titles = data_->catalogue->titles;
  if (titles.size() > item && !titles[item].empty()) return titles[item];
  return item_id(item);
}

std::optional<std::uint32_t> Ratings::find_user(std::string_view id) const noexcept {
  return data_->catalogue->users.find(id);
}
std::optional<std::uint32_t> Ratings::find_item(std::string_view id) const noexcept {
  return data_->catalogue->items.find(id);
}
std::optional<std::size_t> Ratings::find_criterion(std::string_view name) const noexcept {
  const auto& all = data_->catalogue->criteria;
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Criterion& c) { return c.name == name; });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

Ratings subset(const Ratings& ratings, std::span<const std::uint8_t> keep) {
  const Ratings::Data& all = ratings.data();
  if (keep.size() != all.items.size()) {
    throw Error(ErrorCode::usage, "subset needs one flag per interaction");
  }
  const std::size_t width = ratings.criteria().size();
  const auto count = static_cast<std::size_t>(
      std::count_if(keep.begin(), keep.end(), [](std::uint8_t k) { return k != 0; }));
  std::vector<std::uint64_t> offsets = {0};
  offsets.reserve(ratings.users() + 1);
  std::vector<std::uint32_t> items;
  std::vector<float> values;
  std::vector<std::uint32_t> present;
  std::vector<std::int64_t> times;
  items.reserve(count);
  values.reserve(count * width);
  present.reserve(count);
  if (ratings.has_times()) times.reserve(count);
  for (std::size_t user = 0; user < ratings.users(); ++user) {
    for (std::size_t k = all.offsets[user]; k < all.offsets[user + 1]; ++k) {
      if (keep[k] == 0) continue;
      items.push_back(all.items[k]);
      const auto row = all.values.span().subspan(k * width, width);
      values.insert(values.end(), row.begin(), row.end());
      present.push_back(all.present[k]);
      if (ratings.has_times()) times.push_back(all.times[k]);
    }
    offsets.push_back(items.size());
  }
  return Ratings(std::make_shared<Ratings::Data>(
      Ratings::Data{all.catalogue, std::move(offsets), std::move(items), std::move(values),
                    std::move(present), std::move(times)}));
}

void save_ratings(const Ratings& ratings, Parts& parts) {
  const Ratings::Data& data = ratings.data();
  data.catalogue->users.save(parts, "users");
  data.catalogue->items.save(parts, "items");
  data.catalogue->titles.save(parts, "titles");
  parts.put("ratings/offsets", data.offsets);
  parts.put("ratings/items", data.items);
  parts.put("ratings/values", data.values);
  parts.put("ratings/present", data.present);
  parts.put("ratings/times", data.times);
}

Ratings load_ratings(const Parts& parts, std::vector<Criterion> criteria) {
  auto catalogue = std::make_shared<Catalogue>();
  catalogue->users = StringTable::load(parts, "users");
  catalogue->items = StringTable::load(parts, "items");
  catalogue->titles = StringTable::load(parts, "titles");
  catalogue->criteria = std::move(criteria);
  auto data = std::make_shared<Ratings::Data>();
  data->offsets = parts.get<std::uint64_t>("ratings/offsets");
  data->items = parts.get<std::uint32_t>("ratings/items");
  data->values = parts.get<float>("ratings/values");
  data->present = parts.get<std::uint32_t>("ratings/present");
  data->times = parts.get<std::int64_t>("ratings/times");

  const std::size_t count = data->items.size();
  const std::size_t items = catalogue->items.size();
  const std::size_t width = catalogue->criteria.size();
  bool sound =
      width <= max_criteria &&
      (catalogue->titles.size() == 0 || catalogue->titles.size() == items) &&
      data->offsets.size() == catalogue->users.size() + 1 && data->offsets[0] == 0 &&
      data->offsets[catalogue->users.size()] == count &&
      std::is_sorted(data->offsets.begin(), data->offsets.end()) &&
      data->values.size() == count * width && data->present.size() == count &&
      (data->times.empty() || data->times.size() == count) &&
      std::all_of(data->present.begin(), data->present.end(),
                  [&](std::uint32_t word) { return word != 0 && std::bit_width(word) <= width; }) &&
      std::all_of(data->values.begin(), data->values.end(),
                  [](float v) { return std::isfinite(v) && v >= 0; });
  for (std::size_t user = 0; sound && user < catalogue->users.size(); ++user) {
    const auto row = data->items.span().subspan(data->offsets[user],
                                                data->offsets[user + 1] - data->offsets[user]);
    sound = std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end() &&
            (row.empty() || row.back() < items);
  }
  if (!sound) throw Error(ErrorCode::corrupt, "the ratings in the model file are damaged");
  data->catalogue = std::move(catalogue);
  return Ratings(std::move(data));
}

}  // namespace palate
