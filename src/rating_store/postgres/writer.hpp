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
  void apply(std::span<const StoreWrite* const> writes);
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
  using Run = std::span<const StoreWrite* const>;
  void put_ratings(Run run);
  void put_users(Run run);
  void put_items(Run run);
  void delete_ratings(Run run);
  void delete_users(Run run);
  void delete_items(Run run);

  template <class... Values>
  pqxx::result run(std::string_view sql, const Values&... values) {
    return connection_.run(transaction_, sql, values...);
  }
  void count(const pqxx::result& result) { sequence_ += result.affected_rows(); }
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
