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

/// A connection and the transaction on it.
struct PostgresRead {
  PostgresConnection& connection;
  pqxx::transaction_base& transaction;
  const PostgresAddress& address;

  template <class... Values>
  pqxx::result run(std::string_view sql, const Values&... values) const {
    return connection.run(transaction, sql, values...);
  }
};

[[nodiscard]] std::vector<Criterion> read_criteria(const PostgresRead& read);
[[nodiscard]] StoreCounts read_counts(const PostgresRead& read);
[[nodiscard]] std::optional<StoredUser> read_user(const PostgresRead& read, std::string_view id);
[[nodiscard]] std::optional<StoredItem> read_item(const PostgresRead& read, std::string_view id);
[[nodiscard]] std::vector<StoredUser> read_users(const PostgresRead& read, std::string_view after,
                                                 std::size_t limit);
[[nodiscard]] std::vector<StoredItem> read_items(const PostgresRead& read, std::string_view after,
                                                 std::size_t limit);
/// Those of a user, or of a user and an item.
[[nodiscard]] std::vector<StoredRating> read_ratings(const PostgresRead& read,
                                                     std::string_view user,
                                                     std::optional<std::string_view> item);
[[nodiscard]] std::vector<ApiKey> read_keys(const PostgresRead& read);
[[nodiscard]] std::optional<ApiKey> read_key(const PostgresRead& read, const SecretHash& hash);
[[nodiscard]] FoundChanges read_changes(const PostgresRead& read, std::uint64_t sequence,
                                        std::size_t limit);
void scan_all(const PostgresRead& read, const StoreVisitor& visitor, bool ordered,
              KnownUsers& known);

/// As a parameter of type bytea.
[[nodiscard]] std::string hash_text(const SecretHash& hash);

}  // namespace palate::store
