// What both back ends share: checks, group commit, the names of users who are gone, trimming.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palate/rating_store.hpp"
#include "rating_store/changes.hpp"
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

/// After a restore every older sequence has to be one that followers ask in vain, in whatever store
/// the data came from: far above all that a store counts up to, and later restores above earlier.
[[nodiscard]] std::uint64_t sequence_after_restore(std::uint64_t current);

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
  /// Gives writes until there are no more: then none.
  using Batches = std::function<std::span<const StoreWrite* const>()>;
  virtual void replace(std::span<const Criterion> criteria, const Batches& next,
                       IfNotEmpty rule) = 0;

  [[nodiscard]] KnownUsers& known_users() const { return known_users_; }

  /// Number and id of users.
  using Users = std::vector<std::pair<std::int64_t, std::string>>;
  void remember(const Users& users) const {
    for (const auto& [key, id] : users) known_users_.add(key, id);
  }

  /// What a transaction has done, to be counted once it is committed.
  struct Applied {
    WriteResult result = {};
    std::size_t departures = 0;
    Users users = {};
  };
  /// Applies the writes within the transaction of `out`, a back end's writer, and trims what is
  /// noted of departures when enough has come together.
  template <class Writer>
  [[nodiscard]] Applied apply(Writer& out, std::span<const StoreWrite* const> writes) const {
    Applied done;
    done.result.effects = out.apply(writes);
    done.departures = departures_since_trim_ + out.departures();
    if (done.departures > tuning_.kept_departures / 10) {
      out.trim(tuning_.kept_departures);
      done.departures = 0;
    }
    done.result.sequence = out.sequence();
    done.users = out.users();
    return done;
  }
  /// Commits come one at a time: GroupCommit sees to that.
  WriteResult committed(Applied done) {
    departures_since_trim_ = done.departures;
    remember(done.users);
    return std::move(done.result);
  }
  /// Fills a store that was emptied. What is read in is one state, not a history.
  template <class Writer>
  static void fill(Writer& out, const Batches& next) {
    out.begin_history(sequence_after_restore(out.sequence()));
    for (auto batch = next(); !batch.empty(); batch = next()) out.apply(batch);
    out.begin_history(out.sequence());
  }

 private:
  void check(std::span<const StoreWrite> writes);
  [[nodiscard]] std::vector<Criterion> known_criteria(bool fresh);

  StoreTuning tuning_;
  GroupCommit group_;
  std::size_t departures_since_trim_ = 0;
  mutable KnownUsers known_users_;
  mutable std::once_flag users_loaded_;

  std::mutex criteria_mutex_;
  std::vector<Criterion> criteria_;
};

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
