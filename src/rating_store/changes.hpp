// Changes as the tables have them, out of either back end's rows.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "palate/rating_store.hpp"

namespace palate::store {

/// Who stood behind a number. A deleted user leaves nothing in the database but a number that means
/// nothing; a process that knew the user before can still say who it was, because it remembers.
class KnownUsers {
 public:
  void add(std::int64_t key, std::string_view id);
  [[nodiscard]] std::optional<std::string> find(std::int64_t key) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::string> names_;
};

/// A change as the tables have it. A user who is gone is only a number.
struct FoundChange {
  StoreChange change = {};
  std::int64_t user_key = 0;
};
/// nullopt: before the history begins, or after its end.
using FoundChanges = std::optional<std::vector<FoundChange>>;

/// A row of the table of departures, joined with users and items. A rating has user and item, a
/// user only user, an item only item and its id.
struct DepartureRow {
  std::uint64_t sequence = 0;
  std::optional<std::int64_t> user_key = {};
  bool has_item = false;
  std::string_view gone_item = {};  ///< the id of an item that is gone
  std::string_view user = {};       ///< ids of what is still there
  std::string_view item = {};
};

[[nodiscard]] FoundChange changed_rating(std::uint64_t sequence, std::int64_t user_key,
                                         StoredRating rating);
[[nodiscard]] FoundChange changed_user(std::uint64_t sequence, std::int64_t key,
                                       std::string_view id);
[[nodiscard]] FoundChange changed_item(std::uint64_t sequence, std::string_view id);
[[nodiscard]] FoundChange departed(const DepartureRow& row);

/// In order, at most `limit`, with the names of users who are gone; nullopt if one is not known.
/// Those that are named are remembered.
[[nodiscard]] std::optional<std::vector<StoreChange>> named(std::vector<FoundChange> found,
                                                            std::size_t limit, KnownUsers& known);

}  // namespace palate::store
