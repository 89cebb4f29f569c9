// The rating store in one SQLite file: one writer, as many readers as ask at once.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rating_store/sqlite/connection.hpp"
#include "rating_store/store_base.hpp"

namespace palate::store {

class SqliteStore final : public StoreBase {
 public:
  SqliteStore(const std::string& path, StoreTuning tuning);

  [[nodiscard]] std::vector<Criterion> criteria() const override;
  [[nodiscard]] std::optional<StoredUser> find_user(std::string_view id) const override;
  [[nodiscard]] std::optional<StoredItem> find_item(std::string_view id) const override;
  [[nodiscard]] std::vector<StoredRating> ratings_of(std::string_view user) const override;
  [[nodiscard]] std::optional<StoredRating> find_rating(std::string_view user,
                                                        std::string_view item) const override;
  [[nodiscard]] std::vector<StoredUser> users(std::string_view after,
                                              std::size_t limit) const override;
  [[nodiscard]] std::vector<StoredItem> items(std::string_view after,
                                              std::size_t limit) const override;
  [[nodiscard]] StoreCounts counts() const override;
  [[nodiscard]] std::uint64_t last_sequence() const override;
  bool wait_for_changes(std::chrono::milliseconds time) override;

 private:
  // A connection that is lent to one thread, with a read transaction open on it.
  class Reader;

  void store_criteria(std::span<const Criterion> criteria) override;
  WriteResult commit(std::span<const StoreWrite* const> writes) override;
  void scan(const StoreVisitor& visitor, Order order) const override;
  [[nodiscard]] FoundChanges find_changes(std::uint64_t sequence, std::size_t limit) const override;
  void load_users() const override;
  void replace(std::span<const Criterion> criteria, const Batches& next, IfNotEmpty rule) override;

  void empty_wal();

  std::string path_;

  std::mutex writer_mutex_;
  SqliteConnection writer_;
  bool wal_to_empty_ = false;  ///< it still holds somebody who was deleted
  std::chrono::steady_clock::time_point wal_tried_ = {};

  mutable std::mutex readers_mutex_;
  mutable std::vector<std::unique_ptr<SqliteConnection>> idle_readers_;

  std::mutex watcher_mutex_;
  std::unique_ptr<SqliteConnection> watcher_;
  std::int64_t seen_version_ = 0;
};

}  // namespace palate::store
