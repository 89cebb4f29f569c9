// What is read from the tables. The caller holds a transaction; what takes several statements needs
// one in which they see one state.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/sql.hpp"

namespace palate::store {

[[nodiscard]] std::vector<Criterion> read_criteria(Session& db);
[[nodiscard]] StoreCounts read_counts(Session& db);
[[nodiscard]] std::uint64_t read_sequence(Session& db);
[[nodiscard]] std::vector<StoredRating> read_ratings_of(Session& db, std::string_view user);
[[nodiscard]] std::optional<StoredRating> read_rating(Session& db, std::string_view user,
                                                      std::string_view item);

/// A limit as databases count.
[[nodiscard]] std::int64_t signed_limit(std::size_t limit);

[[nodiscard]] StoredUser user_in(const Row& row);  ///< id, attributes
[[nodiscard]] StoredItem item_in(const Row& row);  ///< id, title, attributes

/// Who stood behind a number. A deleted user leaves nothing in the database but a number that means
/// nothing; a process that knew the user before can still say who it was, because it remembers,
/// until it is told to forget.
class KnownUsers {
 public:
  void add(std::int64_t key, std::string_view id);
  [[nodiscard]] std::string find(std::int64_t key) const;  ///< empty: not known
  void forget(std::span<const std::int64_t> keys);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::string> names_;
};

/// A change as the tables have it. A user who is gone is only a number.
struct FoundChange {
  StoreChange change = {};
  std::int64_t user_key = 0;
};
/// nullopt: `sequence` lies before the history begins, or after its end. Else those after it, in
/// any order; more than `limit` are cut off after sorting.
[[nodiscard]] std::optional<std::vector<FoundChange>> read_changes(Session& db,
                                                                   std::uint64_t sequence,
                                                                   std::size_t limit);

/// Of users, up to a sequence.
[[nodiscard]] std::vector<std::int64_t> read_departed(Session& db, std::uint64_t sequence);

/// In order, at most `limit`, with the names of users who are gone as far as they are known. Those
/// that are named are remembered.
[[nodiscard]] std::vector<StoreChange> named(std::vector<FoundChange> found, std::size_t limit,
                                             KnownUsers& known);

enum class Order { any, by_id };
/// RatingStore::read_each(), with ratings in byte order of ids only if asked for.
void scan_all(Session& db, const StoreVisitor& visitor, Order order, KnownUsers& known);

}  // namespace palate::store
