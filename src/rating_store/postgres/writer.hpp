// Writes to the tables in PostgreSQL, within a transaction that the caller holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/postgres/connection.hpp"
#include "rating_store/postgres/reads.hpp"

namespace palate::store {

class PostgresWriter {
 public:
  /// Takes the lock that all writers take first and reads where the sequence stands. Whoever holds
  /// it commits before the next one counts on, so sequences become visible in their order and a
  /// follower misses none.
  PostgresWriter(PostgresConnection& connection, pqxx::work& transaction);

  /// Writes of one kind that follow each other go to the server together.
  std::vector<WriteEffect> apply(std::span<const StoreWrite* const> writes);
  /// Notes where the sequence stands and calls those who wait; nothing if nothing was changed.
  void finish();

  void begin_history(std::uint64_t sequence);
  void write_criteria(std::span<const Criterion> criteria);
  void trim(std::size_t kept);

  /// For questions within the same transaction.
  [[nodiscard]] PostgresRead reading(const PostgresAddress& address) const {
    return {connection_, transaction_, address};
  }

  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  [[nodiscard]] std::size_t departures() const { return departures_; }
  /// The server's number of this transaction, to ask later what became of it.
  [[nodiscard]] std::int64_t transaction_id() const { return transaction_id_; }
  using Users = std::vector<std::pair<std::int64_t, std::string>>;
  [[nodiscard]] const Users& users() const { return users_; }

 private:
  /// Writes of one kind, and the places in a batch of those that one statement takes.
  using Batch = std::span<const StoreWrite* const>;
  using Places = std::span<const std::size_t>;
  using Effects = std::span<WriteEffect>;

  void put_ratings(Batch batch, Places places, Effects effects);
  void put_users(Batch batch, Places places, Effects effects);
  void put_items(Batch batch, Places places, Effects effects);
  void delete_ratings(Batch batch, Places places, Effects effects);
  void delete_users(Batch batch, Places places, Effects effects);
  void delete_items(Batch batch, Places places, Effects effects);

  void add_missing_users_and_items(const std::string& users, const std::string& items);
  /// Counts the rows that a statement gives of what it changed: a number in `places` from 1 on, and
  /// whether it is new.
  void count_put(const pqxx::result& rows, Places places, Effects effects);
  void count_departures(const pqxx::result& gone);

  /// How users or items go: their rows, what was noted of their ratings, and the note that stays.
  struct Departure {
    std::string_view remove, forget, note;
  };
  pqxx::result depart(const Departure& sql, Batch batch, Places places, Effects effects);

  template <class... Values>
  pqxx::result run(std::string_view sql, const Values&... values) {
    return connection_.run(transaction_, sql, values...);
  }
  void note_users(const pqxx::result& rows);

  PostgresConnection& connection_;
  pqxx::work& transaction_;
  std::uint64_t sequence_ = 0;
  std::uint64_t stored_ = 0;
  std::size_t criteria_ = 0;
  std::int64_t transaction_id_ = 0;
  std::size_t departures_ = 0;
  Users users_;
};

}  // namespace palate::store
