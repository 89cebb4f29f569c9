// Writes to the tables in PostgreSQL, many in one statement.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rating_store/postgres/connection.hpp"
#include "rating_store/writer.hpp"

namespace palate::store {

class PostgresWriter final : public Writer {
 public:
  explicit PostgresWriter(PostgresSession& db) : Writer(db), db_(db) {}

  /// Writes of one kind that follow each other go to the server together.
  std::vector<WriteEffect> apply(std::span<const StoreWrite* const> writes) override;
  void write_criteria(std::span<const Criterion> criteria) override;

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

  void note_users(const pqxx::result& rows);

  PostgresSession& db_;
};

}  // namespace palate::store
