// What both back ends share: checks, group commit, names of users that were deleted.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/group_commit.hpp"

namespace palate::store {

/// The newest schema that this program knows; both back ends count the same versions.
inline constexpr std::int64_t newest_schema = 1;

/// A limit as databases count.
[[nodiscard]] std::int64_t signed_limit(std::size_t limit);

struct StoreTuning {
  /// How many deletions followers can still learn of one by one.
  std::size_t kept_departures = 100'000;
};

/// Who stood behind a number. A deleted user leaves nothing in the database but a number that means
/// nothing; a process that knew the user before can still say who it was, because it remembers.
class KnownUsers {
 public:
  void add(std::int64_t key, std::string_view id);
  [[nodiscard]] std::optional<std::string> find(std::int64_t key) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::string> names_;
};

/// A change as the tables have it. A user who is gone is only a number.
struct FoundChange {
  StoreChange change = {};
  std::int64_t user_key = 0;
};
/// nullopt: before the history begins, or after its end.
using FoundChanges = std::optional<std::vector<FoundChange>>;

class StoreBase : public RatingStore {
 public:
  explicit StoreBase(StoreTuning tuning);

  void set_criteria(std::span<const Criterion> criteria) final;
  WriteResult write(std::span<const StoreWrite> writes) final;
  [[nodiscard]] Everything read_all() const final;
  void read_each(const StoreVisitor& visitor) const final;
  [[nodiscard]] std::optional<std::vector<StoreChange>> changes_after(
      std::uint64_t sequence, std::size_t limit) const final;
  void replace_all(std::span<const Criterion> criteria,
                   const std::function<bool(StoreWrite&)>& next, IfNotEmpty rule) final;

 protected:
  enum class Order { any, by_id };
  /// May be called with criteria that equal the stored ones but for their scales.
  virtual void store_criteria(std::span<const Criterion> criteria) = 0;
  virtual WriteResult commit(std::span<const StoreWrite* const> writes) = 0;
  virtual void scan(const StoreVisitor& visitor, Order order) const = 0;
  /// Of one consistent state, in any order; more than `limit` are cut off after sorting.
  [[nodiscard]] virtual FoundChanges find_changes(std::uint64_t sequence,
                                                  std::size_t limit) const = 0;
  /// Fills known_users() from the table.
  virtual void load_users() const = 0;
  virtual void replace(std::span<const Criterion> criteria,
                       const std::function<bool(StoreWrite&)>& next, IfNotEmpty rule) = 0;

  [[nodiscard]] KnownUsers& known_users() const { return known_users_; }
  [[nodiscard]] const StoreTuning& tuning() const { return tuning_; }

 private:
  void check(std::span<const StoreWrite> writes);
  [[nodiscard]] std::vector<Criterion> known_criteria(bool fresh);

  StoreTuning tuning_;
  GroupCommit group_;
  mutable KnownUsers known_users_;
  mutable std::once_flag users_loaded_;

  std::mutex criteria_mutex_;
  std::vector<Criterion> criteria_;
};

/// After a restore every older sequence has to be one that followers ask in vain, in whatever store
/// the data came from: far above all that a store counts up to, and later restores above earlier.
[[nodiscard]] std::uint64_t sequence_after_restore(std::uint64_t current);

[[nodiscard]] bool same_criteria(std::span<const Criterion> a, std::span<const Criterion> b);

/// What must be refused or not, asked within the transaction that would change it.
void refuse_new_criteria(std::span<const Criterion> stored, std::span<const Criterion> wanted,
                         bool has_ratings);
void refuse_not_empty(const StoreCounts& counts, RatingStore::IfNotEmpty rule,
                      const std::string& where);
void refuse_newer_schema(std::int64_t version, const std::string& where);

[[nodiscard]] std::int64_t now_seconds();

/// Whether `where` names a database, or else a file; Error{usage} if neither.
[[nodiscard]] bool is_database(const std::string& where);
[[nodiscard]] std::unique_ptr<RatingStore> open_sqlite(const std::string& path, StoreTuning tuning);
[[nodiscard]] std::unique_ptr<RatingStore> open_postgres(const std::string& url,
                                                         StoreTuning tuning);
[[nodiscard]] std::unique_ptr<RatingStore> open_store(const std::string& where, StoreTuning tuning);

}  // namespace palate::store
