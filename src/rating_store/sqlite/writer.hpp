// Writes to the tables in SQLite, one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rating_store/sqlite/connection.hpp"
#include "rating_store/writer.hpp"

namespace palate::store {

class SqliteWriter final : public Writer {
 public:
  explicit SqliteWriter(SqliteConnection& connection) : Writer(connection), db_(connection) {}

  std::vector<WriteEffect> apply(std::span<const StoreWrite* const> writes) override;
  [[nodiscard]] bool user_deleted() const { return user_deleted_; }

 private:
  WriteEffect put(const StoredRating& rating);
  WriteEffect put(const RatingKey& key);
  WriteEffect put(const StoredUser& user);
  WriteEffect put(const StoredItem& item);
  WriteEffect put(const DeleteUser& user);
  WriteEffect put(const DeleteItem& item);

  /// After one change.
  WriteEffect counted(WriteEffect effect);
  WriteEffect departed();

  [[nodiscard]] std::int64_t user_key(const std::string& id);  ///< 0: not there
  [[nodiscard]] std::int64_t item_key(const std::string& id);
  [[nodiscard]] std::int64_t next() const { return static_cast<std::int64_t>(sequence_) + 1; }

  SqliteConnection& db_;
  bool user_deleted_ = false;
};

}  // namespace palate::store
