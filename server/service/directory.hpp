// Users and items by id, in memory: searched by text and by attributes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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
  /// ids, those that stand nearest in byte order; at fewer if `id` is long.
  [[nodiscard]] std::vector<std::string> near_users(std::string_view id, std::size_t limit) const;
  [[nodiscard]] ItemPage items(const ItemQuery& query) const;
  [[nodiscard]] std::string title(std::string_view id) const;
  /// Ids of the items that have what the filter asks for.
  [[nodiscard]] std::vector<std::string> matching(const AttributeFilter& filter) const;
  /// Such a page of items ends early rather than be longer than this.
  static constexpr std::size_t most_page_bytes = std::size_t{4} << 20;
  /// By name: those that most items have, at most `most_attributes`, each with at most
  /// `most_values`. Counted anew only after an item has changed.
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
  using Items = std::map<std::string, Entry, std::less<>>;
  using Wanted = std::vector<std::pair<std::string_view, std::unordered_set<std::string_view>>>;
  /// One attribute, and which items have which value.
  struct Holders {
    std::size_t items = 0;
    std::unordered_map<std::string, std::set<std::string_view>> by_value = {};
  };
  using Index = std::unordered_map<std::string, Holders>;

  [[nodiscard]] static Entry entry_of(StoredItem item);
  [[nodiscard]] static Wanted wanted_of(const AttributeFilter& filter);
  [[nodiscard]] static bool fits(const Entry& entry, const Wanted& wanted);
  static void add_to(Index& index, std::string_view id, const Entry& entry);
  static void take_from(Index& index, std::string_view id, const Entry& entry);
  /// Those that may fit, in byte order: what has a wanted value of the rarest attribute.
  [[nodiscard]] std::vector<std::string_view> candidates(const AttributeFilter& filter) const;
  /// Readers come one after the other while somebody waits to write, so that nobody waits for ever.
  [[nodiscard]] std::shared_lock<std::shared_mutex> reading() const;
  [[nodiscard]] std::unique_lock<std::shared_mutex> writing();
  [[nodiscard]] static ItemPlace place_of(const Entry& entry, const ItemSort& sort);
  [[nodiscard]] std::vector<AttributeValues> count_attributes() const;

  mutable std::mutex turn_;  ///< taken for a moment before mutex_
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::string, std::less<>> users_;  ///< id without case, by id
  Items items_;
  Index index_;                ///< its ids are the keys of items_
  std::uint64_t changes_ = 0;  ///< of items, so far

  mutable std::mutex counted_mutex_;
  mutable std::uint64_t counted_at_ = 0;
  mutable std::shared_ptr<const std::vector<AttributeValues>> counted_;
};

}  // namespace palate::server
