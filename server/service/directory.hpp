// Users and items by id, in memory: searched by text and by attributes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palate/rating_store.hpp"
#include "server/http/json.hpp"

namespace palate::server {

/// What items have to be like: for each attribute, one of these values.
using AttributeFilter = std::map<std::string, std::vector<std::string>>;
/// How a value of an attribute is written for comparing; nullopt for objects, arrays and null.
[[nodiscard]] std::optional<std::string> plain_text(const Json& value);

[[nodiscard]] Json attributes_json(const std::string& text);

/// Safe to use from many threads; follows the store by put and remove.
class Directory {
 public:
  /// Forgets everything and reads the store.
  void load(const RatingStore& store);
  void put_user(const std::string& id);
  void put_item(StoredItem item);
  void remove_user(std::string_view id);
  void remove_item(std::string_view id);

  /// In byte order, those after `after` whose id or title holds `text` (any, if empty).
  [[nodiscard]] std::vector<std::string> users(std::string_view after, std::size_t limit,
                                               std::string_view text) const;
  [[nodiscard]] std::vector<StoredItem> items(std::string_view after, std::size_t limit,
                                              std::string_view text) const;
  [[nodiscard]] std::string title(std::string_view id) const;
  /// Ids of the items that have what the filter asks for.
  [[nodiscard]] std::vector<std::string> matching(const AttributeFilter& filter) const;

 private:
  struct Entry {
    StoredItem item;
    std::string folded;                                           ///< id and title, without case
    std::vector<std::pair<std::string, std::string>> attributes;  ///< sorted
  };
  [[nodiscard]] static Entry entry_of(StoredItem item);

  mutable std::shared_mutex mutex_;
  std::map<std::string, std::string, std::less<>> users_;  ///< id without case, by id
  std::map<std::string, Entry, std::less<>> items_;
};

}  // namespace palate::server
