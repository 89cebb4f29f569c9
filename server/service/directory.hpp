// Users and items by id, in memory: searched by text and by attributes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
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

/// In which order items are listed. Ties go by id.
struct ItemSort {
  enum class By { id, title, number };
  By by = By::id;
  bool descending = false;
  /// Of By::number: what an item counts by; those of NaN come last, whatever the direction.
  std::function<double(const std::string& id)> number = {};
};

/// Where an item stands in an order; the next page begins after it, even if it is gone by then.
struct ItemPlace {
  double number = 0;  ///< ascending in the order; infinite: has none
  std::string text = {};
  std::string id = {};
};

struct ItemQuery {
  std::optional<ItemPlace> after = {};
  std::size_t limit = 0;
  std::string text = {};        ///< in id or title; any, if empty
  AttributeFilter filter = {};  ///< any, if empty
  ItemSort sort = {};
};

struct ItemPage {
  std::vector<StoredItem> items = {};
  std::optional<ItemPlace> next = {};  ///< none: there are no more
};

/// One attribute of the catalogue and what values it has.
struct AttributeValues {
  std::string name = {};
  std::size_t items = 0;                                         ///< that have it
  std::size_t distinct = 0;                                      ///< values
  std::vector<std::pair<std::string, std::size_t>> values = {};  ///< with items, most first
};

/// Safe to use from many threads; follows the store by put and remove.
class Directory {
 public:
  /// Forgets everything and reads the store.
  void load(const RatingStore& store);
  void put_user(const std::string& id);
  void put_item(StoredItem item);
  void remove_user(std::string_view id);
  [[nodiscard]] bool has_user(std::string_view id) const;
  void remove_item(std::string_view id);

  /// In byte order, those after `after` whose id holds `text` (any, if empty).
  [[nodiscard]] std::vector<std::string> users(std::string_view after, std::size_t limit,
                                               std::string_view text) const;
  /// Whom someone who wrote `id` may have meant, the nearest first. Looks at no more than 20,000
  /// ids, those that stand nearest in byte order.
  [[nodiscard]] std::vector<std::string> near_users(std::string_view id, std::size_t limit) const;
  [[nodiscard]] ItemPage items(const ItemQuery& query) const;
  [[nodiscard]] std::string title(std::string_view id) const;
  /// Ids of the items that have what the filter asks for.
  [[nodiscard]] std::vector<std::string> matching(const AttributeFilter& filter) const;
  /// By name: at most `most_attributes`, each with at most `most_values`. Counted anew only after
  /// an item has changed.
  static constexpr std::size_t most_attributes = 100;
  static constexpr std::size_t most_values = 100;
  [[nodiscard]] std::shared_ptr<const std::vector<AttributeValues>> attributes() const;

 private:
  struct Entry {
    StoredItem item;
    std::string folded;                                           ///< id and title, without case
    std::size_t title_at = 0;                                     ///< in folded; of the id if none
    std::vector<std::pair<std::string, std::string>> attributes;  ///< sorted
  };
  [[nodiscard]] static Entry entry_of(StoredItem item);
  [[nodiscard]] static bool fits(const Entry& entry, const AttributeFilter& filter);
  [[nodiscard]] static ItemPlace place_of(const Entry& entry, const ItemSort& sort);
  [[nodiscard]] std::vector<AttributeValues> count_attributes() const;

  mutable std::shared_mutex mutex_;
  std::map<std::string, std::string, std::less<>> users_;  ///< id without case, by id
  std::map<std::string, Entry, std::less<>> items_;
  std::uint64_t changes_ = 0;  ///< of items, so far

  mutable std::mutex counted_mutex_;
  mutable std::uint64_t counted_at_ = 0;
  mutable std::shared_ptr<const std::vector<AttributeValues>> counted_;
};

}  // namespace palate::server
