// What is read from the tables in SQLite. The caller holds a transaction, so that several reads see
// one state.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/sqlite/connection.hpp"
#include "rating_store/store_base.hpp"

namespace palate::store {

[[nodiscard]] std::vector<Criterion> read_criteria(SqliteConnection& db);
void write_criteria(SqliteConnection& db, std::span<const Criterion> criteria);
[[nodiscard]] StoreCounts read_counts(SqliteConnection& db);
[[nodiscard]] std::uint64_t read_sequence(SqliteConnection& db);
[[nodiscard]] std::optional<StoredUser> read_user(SqliteConnection& db, std::string_view id);
[[nodiscard]] std::optional<StoredItem> read_item(SqliteConnection& db, std::string_view id);
[[nodiscard]] std::vector<StoredUser> read_users(SqliteConnection& db, std::string_view after,
                                                 std::size_t limit);
[[nodiscard]] std::vector<StoredItem> read_items(SqliteConnection& db, std::string_view after,
                                                 std::size_t limit);
[[nodiscard]] std::optional<StoredRating> read_rating(SqliteConnection& db, std::string_view user,
                                                      std::string_view item);
[[nodiscard]] std::vector<StoredRating> read_ratings_of(SqliteConnection& db,
                                                        std::string_view user);
[[nodiscard]] FoundChanges read_changes(SqliteConnection& db, std::uint64_t sequence,
                                        std::size_t limit);

/// RatingStore::read_each(); ratings in byte order of ids only if asked for.
void scan_all(SqliteConnection& db, const StoreVisitor& visitor, bool ordered, KnownUsers& known);

}  // namespace palate::store
