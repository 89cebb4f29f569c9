#include "server/service/directory.hpp"

#include <algorithm>
#include <mutex>

#include "server/http/text.hpp"

namespace palate::server {

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
  if (!item.title.empty()) entry.folded += "\n" + fold_case(item.title);
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
  entry.item = std::move(item);
  return entry;
}

void Directory::load(const RatingStore& store) {
  std::map<std::string, std::string, std::less<>> users;
  std::map<std::string, Entry, std::less<>> items;
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
  const std::unique_lock lock(mutex_);
  users_.swap(users);
  items_.swap(items);
}

void Directory::put_user(const std::string& id) {
  std::string folded = fold_case(id);
  const std::unique_lock lock(mutex_);
  users_.insert_or_assign(id, std::move(folded));
}

void Directory::put_item(StoredItem item) {
  std::string id = item.id;
  Entry entry = entry_of(std::move(item));
  const std::unique_lock lock(mutex_);
  items_.insert_or_assign(std::move(id), std::move(entry));
}

void Directory::remove_user(std::string_view id) {
  const std::unique_lock lock(mutex_);
  if (const auto found = users_.find(id); found != users_.end()) users_.erase(found);
}

void Directory::remove_item(std::string_view id) {
  const std::unique_lock lock(mutex_);
  if (const auto found = items_.find(id); found != items_.end()) items_.erase(found);
}

std::vector<std::string> Directory::users(std::string_view after, std::size_t limit,
                                          std::string_view text) const {
  const std::string wanted = fold_case(text);
  std::vector<std::string> out;
  const std::shared_lock lock(mutex_);
  for (auto at = users_.upper_bound(after); at != users_.end() && out.size() < limit; ++at) {
    if (at->second.find(wanted) != std::string::npos) out.push_back(at->first);
  }
  return out;
}

std::vector<StoredItem> Directory::items(std::string_view after, std::size_t limit,
                                         std::string_view text) const {
  const std::string wanted = fold_case(text);
  std::vector<StoredItem> out;
  const std::shared_lock lock(mutex_);
  for (auto at = items_.upper_bound(after); at != items_.end() && out.size() < limit; ++at) {
    if (at->second.folded.find(wanted) != std::string::npos) out.push_back(at->second.item);
  }
  return out;
}

std::string Directory::title(std::string_view id) const {
  const std::shared_lock lock(mutex_);
  const auto found = items_.find(id);
  return found == items_.end() || found->second.item.title.empty() ? std::string(id)
                                                                   : found->second.item.title;
}

std::vector<std::string> Directory::matching(const AttributeFilter& filter) const {
  std::vector<std::string> out;
  const std::shared_lock lock(mutex_);
  for (const auto& [id, entry] : items_) {
    const auto has_one_of = [&mine = entry.attributes](const auto& wish) {
      return std::any_of(wish.second.begin(), wish.second.end(), [&](const std::string& value) {
        return std::binary_search(mine.begin(), mine.end(), std::pair(wish.first, value));
      });
    };
    if (std::all_of(filter.begin(), filter.end(), has_one_of)) out.push_back(id);
  }
  return out;
}

}  // namespace palate::server
