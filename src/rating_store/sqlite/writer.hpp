// Writes to the tables in SQLite, within a transaction that the caller holds.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/sqlite/connection.hpp"

namespace palate::store {

/// Values as a rating's row has them, and back.
[[nodiscard]] std::vector<float> packed_values(const StoredRating& rating);
void unpack_values(std::span<const std::byte> packed, std::size_t criteria, StoredRating& rating,
                   const std::string& path);

class SqliteWriter {
 public:
  /// Reads where the sequence stands.
  explicit SqliteWriter(SqliteConnection& connection);

  std::vector<WriteEffect> apply(std::span<const StoreWrite* const> writes);
  /// Notes where the sequence stands now; without a further change if nothing was changed.
  void finish();

  /// Also begins the history anew: followers have to read all.
  void begin_history(std::uint64_t sequence);
  /// Forgets departures until `kept` are left.
  void trim(std::size_t kept);

  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  [[nodiscard]] std::size_t departures() const { return departures_; }
  [[nodiscard]] bool user_deleted() const { return user_deleted_; }
  /// Number and id of users that were met or made.
  using Users = std::vector<std::pair<std::int64_t, std::string>>;
  [[nodiscard]] const Users& users() const { return users_; }

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
  std::size_t criteria_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t stored_ = 0;
  std::size_t departures_ = 0;
  bool user_deleted_ = false;
  Users users_;
};

}  // namespace palate::store
