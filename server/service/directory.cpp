#include "server/service/directory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "server/http/text.hpp"

namespace palate::server {
namespace {

bool comes_before(const ItemPlace& a, const ItemPlace& b, const ItemSort& sort) {
  if (a.number != b.number) return a.number < b.number;
  if (a.text != b.text) return sort.descending ? a.text > b.text : a.text < b.text;
  return a.id < b.id;
}

// How far `id` is from what was written, both without case; nullopt: too far to be meant.
std::optional<std::size_t> nearness(std::string_view id, std::string_view written) {
  constexpr std::size_t per_slip = 4;  // one slip of the pen in so many bytes
  constexpr std::size_t most_slips = 3;
  const std::size_t most = std::clamp<std::size_t>(written.size() / per_slip, 1, most_slips);
  const std::size_t slips = edit_distance(id, written, most);
  if (slips <= most) return slips;
  // A part of an id: "ann" for "ann.smith".
  constexpr std::size_t least_part = 3;
  if (written.size() >= least_part && id.find(written) != std::string_view::npos) return most + 1;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return dump(value);
  return std::nullopt;
}

Json attributes_json(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_object() ? value : Json::object();
}

Directory::Entry Directory::entry_of(StoredItem item) {
  Entry entry;
  entry.folded = fold_case(item.id);
  if (!item.title.empty()) {
    entry.title_at = entry.folded.size() + 1;
    entry.folded += "\n" + fold_case(item.title);
  }
  const Json attributes = attributes_json(item.attributes);
  for (const auto& [name, value] : attributes.items()) {
    const auto add = [&, &key = name](const Json& one) {
      if (auto text = plain_text(one)) entry.attributes.emplace_back(key, std::move(*text));
    };
    if (value.is_array()) {
      for (const Json& one : value) add(one);
    } else {
      add(value);
    }
  }
  std::sort(entry.attributes.begin(), entry.attributes.end());
  entry.attributes.erase(std::unique(entry.attributes.begin(), entry.attributes.end()),
                         entry.attributes.end());
  entry.item = std::move(item);
  return entry;
}

std::shared_lock<std::shared_mutex> Directory::reading() const {
  const std::lock_guard turn(turn_);
  return std::shared_lock(mutex_);
}

std::unique_lock<std::shared_mutex> Directory::writing() {
  const std::lock_guard turn(turn_);
  return std::unique_lock(mutex_);
}

void Directory::add_to(Index& index, std::string_view id, const Entry& entry) {
  const std::string* last = nullptr;
  for (const auto& [name, value] : entry.attributes) {
    Holders& holders = index[name];
    if (last == nullptr || *last != name) ++holders.items;
    last = &name;
    holders.by_value[value].insert(id);
  }
}

void Directory::take_from(Index& index, std::string_view id, const Entry& entry) {
  const std::string* last = nullptr;
  for (const auto& [name, value] : entry.attributes) {
    const auto holders = index.find(name);
    if (last == nullptr || *last != name) --holders->second.items;
    last = &name;
    const auto place = holders->second.by_value.find(value);
    place->second.erase(id);
    if (place->second.empty()) holders->second.by_value.erase(place);
    if (holders->second.by_value.empty()) index.erase(holders);
  }
}

void Directory::load(const RatingStore& store) {
  std::map<std::string, std::string, std::less<>> users;
  Items items;
  Index index;
  constexpr std::size_t page = 10'000;
  for (std::string after;;) {
    const std::vector<StoredUser> some = store.users(after, page);
    for (const StoredUser& user : some) {
      users.emplace_hint(users.end(), user.id, fold_case(user.id));
    }
    if (some.size() < page) break;
    after = some.back().id;
  }
  for (std::string after;;) {
    std::vector<StoredItem> some = store.items(after, page);
    const bool last = some.size() < page;
    if (!last) after = some.back().id;
    for (StoredItem& item : some) {
      std::string id = item.id;
      items.emplace_hint(items.end(), std::move(id), entry_of(std::move(item)));
    }
    if (last) break;
  }
  for (const auto& [id, entry] : items) add_to(index, id, entry);
  const auto lock = writing();
  users_.swap(users);
  items_.swap(items);  // ids stay where they are
  index_.swap(index);
  ++changes_;
}

void Directory::put_user(const std::string& id) {
  std::string folded = fold_case(id);
  const auto lock = writing();
  users_.insert_or_assign(id, std::move(folded));
}

void Directory::put_item(StoredItem item) {
  std::string id = item.id;
  Entry entry = entry_of(std::move(item));
  const auto lock = writing();
  const auto [place, fresh] = items_.try_emplace(std::move(id));
  if (!fresh) take_from(index_, place->first, place->second);
  place->second = std::move(entry);
  add_to(index_, place->first, place->second);
  ++changes_;
}

bool Directory::has_user(std::string_view id) const {
  const std::shared_lock lock(mutex_);
  return users_.contains(id);
}

void Directory::remove_user(std::string_view id) {
  const auto lock = writing();
  if (const auto found = users_.find(id); found != users_.end()) users_.erase(found);
}

void Directory::remove_item(std::string_view id) {
  const auto lock = writing();
  if (const auto found = items_.find(id); found != items_.end()) {
    take_from(index_, found->first, found->second);
    items_.erase(found);
  }
  ++changes_;
}

std::vector<std::string> Directory::users(std::string_view after, std::size_t limit,
                                          std::string_view text) const {
  const std::string wanted = fold_case(text);
  std::vector<std::string> out;
  const auto lock = reading();
  for (auto at = users_.upper_bound(after); at != users_.end() && out.size() < limit; ++at) {
    if (at->second.find(wanted) != std::string::npos) out.push_back(at->first);
  }
  return out;
}

std::vector<std::string> Directory::near_users(std::string_view id, std::size_t limit) const {
  constexpr std::size_t farthest = 5'000;  // each way from each of two places
  constexpr std::size_t most_bytes = 500'000;
  const std::size_t reach = std::min(farthest, most_bytes / (id.size() + 1));
  const std::string written = fold_case(id);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  const auto look = [&](const auto& user) {
    if (const auto far = nearness(user.second, written)) found.emplace_back(*far, user.first);
  };
  const auto lock = reading();
  for (const std::string_view place : {id, std::string_view(written)}) {
    auto after = users_.lower_bound(place);
    auto before = std::make_reverse_iterator(after);
    for (std::size_t k = 0; k < reach && after != users_.end(); ++k) look(*after++);
    for (std::size_t k = 0; k < reach && before != users_.rend(); ++k) look(*before++);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<std::string> out;
  for (std::size_t k = 0; k < std::min(limit, found.size()); ++k) out.emplace_back(found[k].second);
  return out;
}

ItemPlace Directory::place_of(const Entry& entry, const ItemSort& sort) {
  ItemPlace place{0, {}, entry.item.id};
  if (sort.by == ItemSort::By::number) {
    const double number = sort.number(entry.item.id);
    const bool none = std::isnan(number);
    place.number =
        none ? std::numeric_limits<double>::infinity() : (sort.descending ? -number : number);
  } else {
    place.text = sort.by == ItemSort::By::id ? entry.item.id : entry.folded.substr(entry.title_at);
  }
  return place;
}

ItemPage Directory::items(const ItemQuery& query) const {
  const std::string wanted = fold_case(query.text);
  const ItemSort& sort = query.sort;
  const bool by_id = sort.by == ItemSort::By::id && !sort.descending;
  const auto ordered = [&](const auto& a, const auto& b) {
    return comes_before(a.first, b.first, sort);
  };
  std::vector<std::pair<ItemPlace, const StoredItem*>> found;
  const Wanted values = wanted_of(query.filter);
  // False: there are enough.
  const auto consider = [&](const Entry& entry) {
    if (entry.folded.find(wanted) == std::string::npos || !fits(entry, values)) return true;
    ItemPlace place = place_of(entry, sort);
    if (query.after && !comes_before(*query.after, place, sort)) return true;
    found.emplace_back(std::move(place), &entry.item);
    return !by_id || found.size() <= query.limit;
  };
  const auto lock = reading();
  if (query.filter.empty()) {
    auto at = by_id && query.after ? items_.upper_bound(query.after->id) : items_.begin();
    while (at != items_.end() && consider(at->second)) ++at;
  } else {
    for (const std::string_view id : candidates(query.filter)) {
      if (!consider(items_.find(id)->second)) break;
    }
  }
  // One more than the page was asked for, to know whether there is another.
  const std::size_t kept = std::min(found.size(), query.limit + 1);
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(kept);
  if (!by_id) std::partial_sort(found.begin(), middle, found.end(), ordered);
  ItemPage page;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < std::min(kept, query.limit) && bytes < most_page_bytes; ++k) {
    const StoredItem& item = *found[k].second;
    bytes += item.id.size() + item.title.size() + item.attributes.size();
    page.items.push_back(item);
  }
  const std::size_t shown = page.items.size();
  if (kept > shown && shown > 0) page.next = std::move(found[shown - 1].first);
  return page;
}

std::string Directory::title(std::string_view id) const {
  const auto lock = reading();
  const auto found = items_.find(id);
  return found == items_.end() || found->second.item.title.empty() ? std::string(id)
                                                                   : found->second.item.title;
}

Directory::Wanted Directory::wanted_of(const AttributeFilter& filter) {
  Wanted out;
  for (const auto& [name, values] : filter) {
    out.emplace_back(name, std::unordered_set<std::string_view>(values.begin(), values.end()));
  }
  return out;
}

bool Directory::fits(const Entry& entry, const Wanted& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& wish) {
    auto at =
        std::lower_bound(entry.attributes.begin(), entry.attributes.end(), wish.first,
                         [](const auto& one, std::string_view name) { return one.first < name; });
    for (; at != entry.attributes.end() && at->first == wish.first; ++at) {
      if (wish.second.contains(at->second)) return true;
    }
    return false;
  });
}

std::vector<std::string_view> Directory::candidates(const AttributeFilter& filter) const {
  std::vector<const std::set<std::string_view>*> rarest;
  std::optional<std::size_t> fewest;
  for (const auto& [name, values] : filter) {
    const auto holders = index_.find(name);
    if (holders == index_.end()) return {};
    std::vector<const std::set<std::string_view>*> sets;
    std::size_t size = 0;
    for (const std::string& value : std::set<std::string>(values.begin(), values.end())) {
      const auto place = holders->second.by_value.find(value);
      if (place == holders->second.by_value.end()) continue;
      sets.push_back(&place->second);
      size += place->second.size();
    }
    if (fewest && *fewest <= size) continue;
    fewest = size;
    rarest = std::move(sets);
  }
  std::vector<std::string_view> out;
  for (const auto* set : rarest) out.insert(out.end(), set->begin(), set->end());
  if (rarest.size() > 1) std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::string> Directory::matching(const AttributeFilter& filter) const {
  std::vector<std::string> out;
  const Wanted wanted = wanted_of(filter);
  const auto lock = reading();
  if (filter.empty()) {
    for (const auto& [id, entry] : items_) out.push_back(id);
    return out;
  }
  for (const std::string_view id : candidates(filter)) {
    if (fits(items_.find(id)->second, wanted)) out.emplace_back(id);
  }
  return out;
}

std::vector<AttributeValues> Directory::count_attributes() const {
  std::vector<const Index::value_type*> all;
  for (const auto& one : index_) all.push_back(&one);
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::tie(b->second.items, a->first) < std::tie(a->second.items, b->first);
  });
  all.resize(std::min(all.size(), most_attributes));
  std::vector<AttributeValues> out;
  for (const auto* one : all) {
    const auto& [name, holders] = *one;
    std::vector<std::pair<std::string_view, std::size_t>> values;
    for (const auto& [value, items] : holders.by_value) values.emplace_back(value, items.size());
    const std::size_t kept = std::min(values.size(), most_values);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(kept);
    std::partial_sort(values.begin(), middle, values.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    out.push_back({name, holders.items, values.size(), {values.begin(), middle}});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

std::shared_ptr<const std::vector<AttributeValues>> Directory::attributes() const {
  const std::lock_guard counting(counted_mutex_);  // one counts, others wait for it
  const auto lock = reading();
  if (!counted_ || counted_at_ != changes_) {
    counted_ = std::make_shared<const std::vector<AttributeValues>>(count_attributes());
    counted_at_ = changes_;
  }
  return counted_;
}

}  // namespace palate::server
