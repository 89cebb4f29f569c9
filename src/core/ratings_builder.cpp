#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

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

constexpr std::size_t most_rows = 0xfffffff0U;

void check_id(std::string_view id, const char* what) {
  if (id.empty()) {
    throw Error(ErrorCode::bad_input, "the " + std::string(what) + " id is empty");
  }
}

/// One bit per criterion that has a value. `row` is for the message, if rows are counted.
std::uint32_t present_in(std::span<const float> values, std::span<const Criterion> criteria,
                         std::optional<std::size_t> row = {}) {
  const auto fail = [row](const char* message, std::string field) {
    throw Error(ErrorCode::bad_input,
                row ? "row " + std::to_string(*row) + ": " + message : message,
                {.field = std::move(field)});
  };
  std::uint32_t present = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c] >= 0 && values[c] <= std::numeric_limits<float>::max()) {
      present |= 1U << c;
    } else if (!std::isnan(values[c])) {
      fail("a rating must be a finite number that is not negative", criteria[c].name);
    }
  }
  if (present == 0) fail("there is no rating in the row", {});
  return present;
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

/// The values seen or declared.
struct Scale {
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();

  void widen(float to_low, float to_high) {
    low = std::min(low, to_low);
    high = std::max(high, to_high);
  }
};

/// Rows by user, item, and from old to new.
struct SortedRows {
  std::vector<std::uint64_t> begin;    // of each user's entries, and the end
  std::vector<std::uint64_t> entries;  // the item's new index above the row: sorting compares these

  static std::uint64_t entry(std::uint32_t item, std::uint32_t row) {
    return std::uint64_t{item} << 32 | row;
  }
  static std::uint32_t item(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }
  static std::uint32_t row(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }
};

}  // namespace

// Not part of what the library exports, though it is a member of a class that is.
struct __attribute__((visibility("hidden"))) RatingsBuilder::Impl {
  std::vector<Criterion> criteria;
  std::vector<Scale> scales;
  Duplicates rule = Duplicates::last;
  Interner users, items;
  std::unordered_map<std::uint32_t, std::string> titles;
  // Rows as they came.
  std::vector<std::uint32_t> row_user, row_item, row_present;
  std::vector<float> row_values;
  std::vector<std::int64_t> row_time;  // ends with the last row that has one
  std::size_t duplicates = 0;

  [[nodiscard]] SortedRows sorted_rows(const OrderedIds& u, const OrderedIds& i) const;
  void merge(std::span<const std::uint64_t> entries, std::span<float> values,
             std::uint32_t& present) const;
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
  impl_->scales.resize(impl_->criteria.size());
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
  const std::uint32_t present = present_in(values, my.criteria);
  if (my.row_user.size() >= most_rows) {
    throw Error(ErrorCode::too_large, "more than 4 thousand million rows");
  }
  // First of all, so that waiting for memory goes on beside the rest.
  my.row_user.push_back(my.users.intern(user));
  my.row_item.push_back(my.items.intern(item));
  for (std::size_t c = 0; c < values.size(); ++c) {
    const bool there = (present >> c & 1U) != 0;
    my.row_values.push_back(there ? values[c] : 0.0F);
    if (there) my.scales[c].widen(values[c], values[c]);
  }
  if (time) {
    my.row_time.resize(my.row_user.size(), no_time);
    my.row_time.back() = *time;
  }
  my.row_present.push_back(present);
}

namespace {

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
  if (my.row_user.size() + rows >= most_rows) {
    throw Error(ErrorCode::too_large, "more than 4 thousand million rows");
  }
  std::vector<std::uint32_t> present(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    present[k] = present_in(columns.values.subspan(k * width, width), my.criteria, k);
  }
  const auto users = intern_all(columns.users, "user", my.users);
  const auto items = intern_all(columns.items, "item", my.items);
  if (std::any_of(columns.times.begin(), columns.times.end(),
                  [](std::int64_t time) { return time != no_time; })) {
    my.row_time.resize(my.row_user.size(), no_time);
    my.row_time.insert(my.row_time.end(), columns.times.begin(), columns.times.end());
  }
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
    if (low <= high) my.scales[c].widen(low, high);
  }
  for (const float value : columns.values) my.row_values.push_back(std::isnan(value) ? 0 : value);
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
  impl_->scales[criterion].widen(min, max);
}

void RatingsBuilder::reserve(std::size_t rows) {
  Impl& my = *impl_;
  rows = std::min(rows, most_rows);
  try {
    my.row_user.reserve(rows);
    my.row_item.reserve(rows);
    my.row_present.reserve(rows);
    my.row_values.reserve(rows * my.criteria.size());
  } catch (const std::bad_alloc&) {
    return;  // perhaps there are fewer rows than was guessed
  }
}

std::size_t RatingsBuilder::duplicates_found() const noexcept { return impl_->duplicates; }
std::size_t RatingsBuilder::rows() const noexcept { return impl_->row_user.size(); }

SortedRows RatingsBuilder::Impl::sorted_rows(const OrderedIds& u, const OrderedIds& i) const {
  SortedRows out;
  out.begin.assign(u.ids.size() + 1, 0);
  for (const std::uint32_t user : row_user) ++out.begin[u.new_of[user] + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.entries.resize(row_user.size());
  std::vector<std::uint64_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::uint32_t row = 0; row < row_user.size(); ++row) {
    out.entries[next[u.new_of[row_user[row]]]++] = SortedRows::entry(i.new_of[row_item[row]], row);
  }
  const auto older = [this](std::uint64_t a, std::uint64_t b) {
    if (SortedRows::item(a) != SortedRows::item(b)) return a < b;
    const std::int64_t time_a = row_time[SortedRows::row(a)];
    const std::int64_t time_b = row_time[SortedRows::row(b)];
    return time_a != time_b ? time_a < time_b : a < b;
  };
  for (std::size_t user = 0; user < u.ids.size(); ++user) {
    const auto first = out.entries.begin() + static_cast<std::ptrdiff_t>(out.begin[user]);
    const auto last = out.entries.begin() + static_cast<std::ptrdiff_t>(out.begin[user + 1]);
    if (row_time.empty()) {
      std::sort(first, last);
    } else {
      std::sort(first, last, older);
    }
  }
  return out;
}

// One interaction out of the rows of one pair. Takes `values` to be 0.
void RatingsBuilder::Impl::merge(std::span<const std::uint64_t> entries, std::span<float> values,
                                 std::uint32_t& present) const {
  const std::size_t width = values.size();
  if (rule != Duplicates::mean || entries.size() == 1) {
    const std::size_t row =
        SortedRows::row(rule == Duplicates::first ? entries.front() : entries.back());
    std::copy_n(row_values.data() + row * width, width, values.data());
    present = row_present[row];
    return;
  }
  present = 0;
  for (const std::uint64_t entry : entries) present |= row_present[SortedRows::row(entry)];
  for (std::size_t c = 0; c < width; ++c) {
    double sum = 0;
    std::size_t count = 0;
    for (const std::uint64_t entry : entries) {
      const std::size_t row = SortedRows::row(entry);
      if ((row_present[row] >> c & 1U) == 0) continue;
      sum += static_cast<double>(row_values[row * width + c]);
      ++count;
    }
    if (count > 0) values[c] = static_cast<float>(sum / static_cast<double>(count));
  }
}

Ratings RatingsBuilder::build() {
  Impl my = std::move(*impl_);
  *impl_ = Impl{};
  for (const Criterion& c : my.criteria) impl_->criteria.push_back({c.name});
  impl_->scales.resize(my.criteria.size());
  impl_->rule = my.rule;
  if (!my.row_time.empty()) my.row_time.resize(my.row_user.size(), no_time);
  const OrderedIds users = order_ids(std::move(my.users).take());
  const OrderedIds items = order_ids(std::move(my.items).take());
  const SortedRows rows = my.sorted_rows(users, items);

  const std::size_t width = my.criteria.size();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> out_items, out_present;
  std::vector<float> values(my.row_values.size());
  std::vector<std::int64_t> times;
  offsets.reserve(users.ids.size() + 1);
  out_items.reserve(rows.entries.size());
  out_present.reserve(rows.entries.size());
  times.reserve(my.row_time.size());
  for (std::size_t user = 0; user < users.ids.size(); ++user) {
    for (std::size_t k = rows.begin[user]; k < rows.begin[user + 1];) {
      const std::uint32_t item = SortedRows::item(rows.entries[k]);
      std::size_t end = k + 1;
      while (end < rows.begin[user + 1] && SortedRows::item(rows.entries[end]) == item) ++end;
      if (end - k > 1 && my.rule == Duplicates::error) {
        throw Error(
            ErrorCode::bad_input,
            "user '" + users.ids[user] + "' rated item '" + items.ids[item] + "' more than once",
            {}, "choose what to keep: last, first or mean");
      }
      impl_->duplicates += end - k - 1;
      const auto entries = std::span(rows.entries).subspan(k, end - k);
      my.merge(entries, std::span(values).subspan(out_items.size() * width, width),
               out_present.emplace_back());
      if (!my.row_time.empty()) {
        const bool first = my.rule == Duplicates::first;
        times.push_back(my.row_time[SortedRows::row(first ? entries.front() : entries.back())]);
      }
      out_items.push_back(item);
      k = end;
    }
    offsets.push_back(out_items.size());
  }
  values.resize(out_items.size() * width);

  auto catalogue = std::make_shared<Catalogue>();
  catalogue->users = StringTable(users.ids);
  catalogue->items = StringTable(items.ids);
  if (!my.titles.empty()) {
    std::vector<std::string> titles(items.ids.size());
    for (auto& [item, title] : my.titles) titles[items.new_of[item]] = std::move(title);
    catalogue->titles = StringTable(titles);
  }
  for (std::size_t c = 0; c < width; ++c) {
    if (my.scales[c].low > my.scales[c].high) continue;
    my.criteria[c].min = my.scales[c].low;
    my.criteria[c].max = my.scales[c].high;
  }
  catalogue->criteria = std::move(my.criteria);
  return Ratings(std::make_shared<Ratings::Data>(
      Ratings::Data{std::move(catalogue), std::move(offsets), std::move(out_items),
                    std::move(values), std::move(out_present), std::move(times)}));
}

}  // namespace palate
