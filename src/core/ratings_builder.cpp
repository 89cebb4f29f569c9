#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/interner.hpp"
#include "core/ratings_data.hpp"
#include "palate/error.hpp"
#include "palate/ratings.hpp"

namespace palate {
namespace {

// Indices follow the ids, not the rows: numeric order if every id is a plain integer, else by
// bytes.
bool plain_integer(std::string_view id) {
  return !id.empty() && id.size() <= 18 && (id.size() == 1 || id[0] != '0') &&
         std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void check_id(std::string_view id, const char* what) {
  if (id.empty()) {
    throw Error(ErrorCode::bad_input, "the " + std::string(what) + " id is empty");
  }
}

struct OrderedIds {
  std::vector<std::string> ids;       // in order
  std::vector<std::uint32_t> new_of;  // old index -> new index
};

OrderedIds order_ids(std::vector<std::string> ids) {
  const bool numeric = std::all_of(ids.begin(), ids.end(), plain_integer);
  std::vector<std::uint32_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (numeric && ids[a].size() != ids[b].size()) return ids[a].size() < ids[b].size();
    return ids[a] < ids[b];
  });
  OrderedIds out;
  out.new_of.resize(ids.size());
  out.ids.reserve(ids.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    out.new_of[order[k]] = k;
    out.ids.push_back(std::move(ids[order[k]]));
  }
  return out;
}

}  // namespace

struct RatingsBuilder::Impl {
  std::vector<Criterion> criteria;
  std::vector<bool> scale_known;
  Duplicates rule = Duplicates::last;
  Interner users, items;
  std::unordered_map<std::uint32_t, std::string> titles;
  // Rows as they came.
  std::vector<std::uint32_t> row_user, row_item, row_present;
  std::vector<float> row_values;
  std::vector<std::int64_t> row_time;
  bool any_time = false;
  std::size_t duplicates = 0;

  void widen(std::size_t criterion, float low, float high) {
    Criterion& c = criteria[criterion];
    c.min = scale_known[criterion] ? std::min(c.min, low) : low;
    c.max = scale_known[criterion] ? std::max(c.max, high) : high;
    scale_known[criterion] = true;
  }
  [[nodiscard]] std::vector<std::uint32_t> sorted_rows(const OrderedIds& u,
                                                       const OrderedIds& i) const;
  void merge(std::span<const std::uint32_t> rows, Duplicates how, std::vector<float>& values,
             std::uint32_t& present, std::int64_t& time) const;
};

RatingsBuilder::RatingsBuilder(std::vector<std::string> criteria, Duplicates duplicates)
    : impl_(std::make_unique<Impl>()) {
  if (criteria.empty()) {
    throw Error(ErrorCode::bad_input, "ratings need at least one criterion, the overall rating");
  }
  if (criteria.size() > max_criteria) {
    throw Error(ErrorCode::too_large,
                std::to_string(criteria.size()) + " criteria are more than Palate can hold", {},
                "name at most " + std::to_string(max_criteria) + ", the overall rating included");
  }
  std::unordered_set<std::string> names;
  for (std::string& name : criteria) {
    if (name.empty()) throw Error(ErrorCode::bad_input, "a criterion has an empty name");
    if (!names.insert(name).second) {
      throw Error(ErrorCode::bad_input, "the criterion '" + name + "' is named twice");
    }
    impl_->criteria.push_back({std::move(name)});
  }
  impl_->scale_known.assign(impl_->criteria.size(), false);
  impl_->rule = duplicates;
}

RatingsBuilder::~RatingsBuilder() = default;
RatingsBuilder::RatingsBuilder(RatingsBuilder&&) noexcept = default;
RatingsBuilder& RatingsBuilder::operator=(RatingsBuilder&&) noexcept = default;

void RatingsBuilder::add(std::string_view user, std::string_view item,
                         std::span<const float> values, std::optional<std::int64_t> time) {
  Impl& my = *impl_;
  check_id(user, "user");
  check_id(item, "item");
  if (values.size() != my.criteria.size()) {
    throw Error(ErrorCode::usage, "a rating needs one value per criterion (NaN where absent)");
  }
  std::uint32_t present = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (std::isnan(values[c])) continue;
    if (values[c] < 0 || std::isinf(values[c])) {
      throw Error(ErrorCode::bad_input, "a rating must be a finite number that is not negative",
                  {.field = my.criteria[c].name});
    }
    present |= 1U << c;
  }
  if (present == 0) throw Error(ErrorCode::bad_input, "there is no rating in the row");
  if (my.row_user.size() >= 0xfffffff0U) {
    throw Error(ErrorCode::too_large, "more than 4 thousand million rows");
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    const bool there = (present >> c & 1U) != 0;
    my.row_values.push_back(there ? values[c] : 0.0F);
    if (there) my.widen(c, values[c], values[c]);
  }
  my.row_user.push_back(my.users.intern(user));
  my.row_item.push_back(my.items.intern(item));
  my.row_present.push_back(present);
  my.row_time.push_back(time.value_or(no_time));
  my.any_time = my.any_time || time.has_value();
}

namespace {

// One bit per criterion that has a value.
std::uint32_t present_in(std::span<const float> values, std::span<const Criterion> criteria,
                         std::size_t row) {
  const auto fail = [row](const char* message, std::string field) {
    throw Error(ErrorCode::bad_input, "row " + std::to_string(row) + ": " + message,
                {.field = std::move(field)});
  };
  std::uint32_t present = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (std::isnan(values[c])) continue;
    if (values[c] < 0 || std::isinf(values[c])) {
      fail("a rating must be a finite number that is not negative", criteria[c].name);
    }
    present |= 1U << c;
  }
  if (present == 0) fail("there is no rating in the row", {});
  return present;
}

std::vector<std::uint32_t> intern_all(std::span<const std::string> ids, const char* what,
                                      Interner& names) {
  for (const std::string& id : ids) check_id(id, what);
  std::vector<std::uint32_t> out;
  out.reserve(ids.size());
  for (const std::string& id : ids) out.push_back(names.intern(id));
  return out;
}

void check_shape(const RatingColumns& columns, std::size_t width) {
  const std::size_t rows = columns.user.size();
  const auto outside = [](std::span<const std::uint32_t> places, std::size_t count) {
    return std::any_of(places.begin(), places.end(), [count](auto k) { return k >= count; });
  };
  if (columns.item.size() != rows || columns.values.size() != rows * width ||
      (!columns.times.empty() && columns.times.size() != rows)) {
    throw Error(ErrorCode::usage, "the columns of ratings differ in length");
  }
  if (outside(columns.user, columns.users.size()) || outside(columns.item, columns.items.size())) {
    throw Error(ErrorCode::usage, "a row names a user or an item that is not in the list of ids");
  }
}

}  // namespace

void RatingsBuilder::add(const RatingColumns& columns) {
  Impl& my = *impl_;
  const std::size_t width = my.criteria.size();
  const std::size_t rows = columns.user.size();
  check_shape(columns, width);
  if (my.row_user.size() + rows >= 0xfffffff0U) {
    throw Error(ErrorCode::too_large, "more than 4 thousand million rows");
  }
  std::vector<std::uint32_t> present(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    present[k] = present_in(columns.values.subspan(k * width, width), my.criteria, k);
  }
  const auto users = intern_all(columns.users, "user", my.users);
  const auto items = intern_all(columns.items, "item", my.items);
  for (std::size_t k = 0; k < rows; ++k) {
    my.row_user.push_back(users[columns.user[k]]);
    my.row_item.push_back(items[columns.item[k]]);
  }
  my.row_present.insert(my.row_present.end(), present.begin(), present.end());
  my.row_values.reserve(my.row_values.size() + columns.values.size());
  for (std::size_t c = 0; c < width; ++c) {
    float low = std::numeric_limits<float>::infinity();
    float high = 0;
    for (std::size_t k = c; k < columns.values.size(); k += width) {
      if (std::isnan(columns.values[k])) continue;
      low = std::min(low, columns.values[k]);
      high = std::max(high, columns.values[k]);
    }
    if (low <= high) my.widen(c, low, high);
  }
  for (const float value : columns.values) my.row_values.push_back(std::isnan(value) ? 0 : value);
  my.row_time.insert(my.row_time.end(), columns.times.begin(), columns.times.end());
  my.row_time.resize(my.row_user.size(), no_time);
  my.any_time = my.any_time || std::any_of(columns.times.begin(), columns.times.end(),
                                           [](std::int64_t time) { return time != no_time; });
}

void RatingsBuilder::add_user(std::string_view user) {
  check_id(user, "user");
  impl_->users.intern(user);
}
void RatingsBuilder::add_item(std::string_view item) {
  check_id(item, "item");
  impl_->items.intern(item);
}

void RatingsBuilder::set_title(std::string_view item, std::string_view title) {
  check_id(item, "item");
  impl_->titles[impl_->items.intern(item)] = std::string(title);
}

void RatingsBuilder::set_scale(std::size_t criterion, float min, float max) {
  if (criterion >= impl_->criteria.size() || !(min <= max)) {
    throw Error(ErrorCode::usage,
                "a scale needs a criterion that is there and a smallest value that is not above "
                "the largest");
  }
  impl_->widen(criterion, min, max);
}

std::size_t RatingsBuilder::duplicates_found() const noexcept { return impl_->duplicates; }
std::size_t RatingsBuilder::rows() const noexcept { return impl_->row_user.size(); }

// Rows by (user, item), those of one pair from old to new: by time, then in the order added.
std::vector<std::uint32_t> RatingsBuilder::Impl::sorted_rows(const OrderedIds& u,
                                                             const OrderedIds& i) const {
  std::vector<std::uint64_t> begin(u.ids.size() + 1, 0);
  for (const std::uint32_t user : row_user) ++begin[u.new_of[user] + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> rows(row_user.size());
  std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t row = 0; row < row_user.size(); ++row) {
    rows[next[u.new_of[row_user[row]]]++] = row;
  }
  const auto older = [&](std::uint32_t a, std::uint32_t b) {
    if (row_item[a] != row_item[b]) return i.new_of[row_item[a]] < i.new_of[row_item[b]];
    if (row_time[a] != row_time[b]) return row_time[a] < row_time[b];
    return a < b;
  };
  for (std::size_t user = 0; user < u.ids.size(); ++user) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin[user]);
    const auto last = rows.begin() + static_cast<std::ptrdiff_t>(begin[user + 1]);
    if (!std::is_sorted(first, last, older)) std::sort(first, last, older);
  }
  return rows;
}

// One interaction out of the rows of one pair.
void RatingsBuilder::Impl::merge(std::span<const std::uint32_t> rows, Duplicates how,
                                 std::vector<float>& values, std::uint32_t& present,
                                 std::int64_t& time) const {
  const std::size_t width = criteria.size();
  if (how != Duplicates::mean) {
    const std::uint32_t row = how == Duplicates::first ? rows.front() : rows.back();
    const auto from = row_values.begin() + static_cast<std::ptrdiff_t>(row * width);
    values.insert(values.end(), from, from + static_cast<std::ptrdiff_t>(width));
    present = row_present[row];
    time = row_time[row];
    return;
  }
  present = 0;
  for (const std::uint32_t row : rows) present |= row_present[row];
  for (std::size_t c = 0; c < width; ++c) {
    double sum = 0;
    std::size_t count = 0;
    for (const std::uint32_t row : rows) {
      if ((row_present[row] >> c & 1U) == 0) continue;
      sum += static_cast<double>(row_values[row * width + c]);
      ++count;
    }
    values.push_back(count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count)));
  }
  time = row_time[rows.back()];
}

Ratings RatingsBuilder::build() {
  Impl my = std::move(*impl_);
  *impl_ = Impl{};
  for (const Criterion& c : my.criteria) impl_->criteria.push_back({c.name});
  impl_->scale_known.assign(my.criteria.size(), false);
  impl_->rule = my.rule;
  const OrderedIds users = order_ids(std::move(my.users).take());
  const OrderedIds items = order_ids(std::move(my.items).take());
  const std::vector<std::uint32_t> rows = my.sorted_rows(users, items);

  std::vector<std::uint64_t> offsets(users.ids.size() + 1, 0);
  std::vector<std::uint32_t> out_items, out_present;
  std::vector<float> values;
  std::vector<std::int64_t> times;
  out_items.reserve(rows.size());
  out_present.reserve(rows.size());
  values.reserve(my.row_values.size());
  for (std::size_t k = 0; k < rows.size();) {
    const std::uint32_t user = my.row_user[rows[k]];
    const std::uint32_t item = my.row_item[rows[k]];
    std::size_t end = k + 1;
    while (end < rows.size() && my.row_user[rows[end]] == user && my.row_item[rows[end]] == item) {
      ++end;
    }
    if (end - k > 1 && my.rule == Duplicates::error) {
      throw Error(ErrorCode::bad_input,
                  "user '" + users.ids[users.new_of[user]] + "' rated item '" +
                      items.ids[items.new_of[item]] + "' more than once",
                  {}, "choose what to keep: last, first or mean");
    }
    impl_->duplicates += end - k - 1;
    std::uint32_t present = 0;
    std::int64_t time = no_time;
    my.merge(std::span(rows).subspan(k, end - k), my.rule, values, present, time);
    out_items.push_back(items.new_of[item]);
    out_present.push_back(present);
    if (my.any_time) times.push_back(time);
    ++offsets[users.new_of[user] + 1];
    k = end;
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());

  auto catalog = std::make_shared<Catalog>();
  catalog->users = StringTable(users.ids);
  catalog->items = StringTable(items.ids);
  if (!my.titles.empty()) {
    std::vector<std::string> titles(items.ids.size());
    for (auto& [item, title] : my.titles) titles[items.new_of[item]] = std::move(title);
    catalog->titles = StringTable(titles);
  }
  catalog->criteria = std::move(my.criteria);
  auto data = std::make_shared<Ratings::Data>();
  data->catalog = std::move(catalog);
  data->offsets = std::move(offsets);
  data->items = std::move(out_items);
  data->values = std::move(values);
  data->present = std::move(out_present);
  data->times = std::move(times);
  return Ratings(std::move(data));
}

}  // namespace palate
