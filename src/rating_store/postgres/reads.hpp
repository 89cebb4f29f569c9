// What is read from the tables in PostgreSQL. The caller holds a transaction; several reads that
// must see one state need one of repeatable reads.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/postgres/connection.hpp"
#include "rating_store/store_base.hpp"

namespace palate::store {

[[nodiscard]] std::vector<Criterion> read_criteria(const PostgresRead& read);
[[nodiscard]] StoreCounts read_counts(const PostgresRead& read);
[[nodiscard]] std::optional<StoredUser> read_user(const PostgresRead& read, std::string_view id);
[[nodiscard]] std::optional<StoredItem> read_item(const PostgresRead& read, std::string_view id);
[[nodiscard]] std::vector<StoredUser> read_users(const PostgresRead& read, std::string_view after,
                                                 std::size_t limit);
[[nodiscard]] std::vector<StoredItem> read_items(const PostgresRead& read, std::string_view after,
                                                 std::size_t limit);
[[nodiscard]] std::vector<StoredRating> read_ratings_of(const PostgresRead& read,
                                                        std::string_view user);
[[nodiscard]] std::optional<StoredRating> read_rating(const PostgresRead& read,
                                                      std::string_view user, std::string_view item);
[[nodiscard]] std::uint64_t read_sequence(const PostgresRead& read);
[[nodiscard]] FoundChanges read_changes(const PostgresRead& read, std::uint64_t sequence,
                                        std::size_t limit);
void scan_all(const PostgresRead& read, const StoreVisitor& visitor, bool ordered,
              KnownUsers& known);

}  // namespace palate::store
