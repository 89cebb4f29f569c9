// Ratings that live in a database: SQLite in one file, or PostgreSQL. Implemented in
// src/rating_store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "palate/ratings.hpp"
#include "palate/run.hpp"

#pragma GCC visibility push(default)
namespace palate {

struct StoredUser {
  std::string id = {};
  std::string attributes = "{}";  ///< text of a JSON object
};

struct StoredItem {
  std::string id = {};
  std::string title = {};         ///< empty: none
  std::string attributes = "{}";  ///< text of a JSON object
};

struct StoredRating {
  std::string user = {};
  std::string item = {};
  std::vector<float> values = {};  ///< one per criterion of the store; NaN where absent
  std::int64_t time = no_time;     ///< Unix seconds
};

struct RatingKey {
  std::string user = {};
  std::string item = {};
};
struct DeleteUser {
  std::string id = {};
};
struct DeleteItem {
  std::string id = {};
};

/// One thing to write. A rating makes its user and item known; a deleted user or item takes its
/// ratings along.
using StoreWrite = std::variant<StoredRating, RatingKey /* delete */, StoredUser, StoredItem,
                                DeleteUser, DeleteItem>;

/// What one write did to the rating, user or item that it names. none: it was so already, or there
/// was nothing to delete.
enum class WriteEffect : std::uint8_t { none, created, changed, deleted };

struct WriteResult {
  /// Of the last change; of the store, if nothing was changed.
  std::uint64_t sequence = 0;
  /// One per write, in order, each judged by what those before it had left.
  std::vector<WriteEffect> effects = {};
};

/// What has happened, in order. A rating is given as it stands now (nullopt: it is gone). A deleted
/// user leaves no name behind: `user` is empty where this store object never met them, or was told
/// to forget them (forget_departed()).
struct StoreChange {
  enum class Kind { rating, user, item, user_deleted, item_deleted };
  std::uint64_t sequence = 0;
  Kind kind = Kind::rating;
  std::string user = {};
  std::string item = {};
  std::optional<StoredRating> rating = {};
};

struct StoreCounts {
  std::size_t users = 0, items = 0, ratings = 0;
};

/// Takes what a store holds, one by one. What is empty is not called. Objects are valid during the
/// call.
struct StoreVisitor {
  /// Called first, with what will follow.
  std::function<void(std::span<const Criterion>, const StoreCounts&, std::uint64_t sequence)>
      begin = {};
  std::function<void(const StoredUser&)> user = {};
  std::function<void(const StoredItem&)> item = {};
  std::function<void(const StoredRating&)> rating = {};
};

/// The longest user or item id and the longest attributes that a store takes, in bytes.
inline constexpr std::size_t max_stored_id = 1024;
inline constexpr std::size_t max_stored_attributes = std::size_t{1} << 20;

/// Throws the Error{bad_input} that write() would throw for it; for rows that are judged one by
/// one.
void check_write(const StoreWrite& write, std::span<const Criterion> criteria);

/// On which scale values from `seen.min` to `seen.max` are likely to have been given: from 0, 0.5
/// or 1 on, to 1, 5, 10, 20, 100 or a higher power of ten. One value alone tells none (0 to 0).
[[nodiscard]] Criterion usual_scale(Criterion seen);

/// Safe to use from many threads at once. Any member throws Error{io} if the file or the database
/// cannot be reached, is full or is locked for too long, or if the file is no longer the one that
/// was opened: removed, replaced or cut.
class RatingStore {
 public:
  RatingStore() = default;
  virtual ~RatingStore() = default;
  RatingStore(const RatingStore&) = delete;
  RatingStore& operator=(const RatingStore&) = delete;

  /// The criteria, overall first; empty until set. Once there are ratings, only their scales (min,
  /// max) can be changed: Error{usage} else.
  [[nodiscard]] virtual std::vector<Criterion> criteria() const = 0;
  virtual void set_criteria(std::span<const Criterion> criteria) = 0;

  /// Writes all or nothing, in order. On return it is durable. What is the same already is no
  /// change, and to delete what is not there is no error; the result says so, and it is right
  /// whoever else writes at the same time: of many who create one thing, one is told. Throws
  /// Error{bad_input} naming what is wrong (empty id, id that is no UTF-8, value negative or not
  /// finite, no value, attributes that are no JSON object), with its number in the batch as
  /// where().line if there are several.
  virtual WriteResult write(std::span<const StoreWrite> writes) = 0;

  [[nodiscard]] virtual std::optional<StoredUser> find_user(std::string_view id) const = 0;
  [[nodiscard]] virtual std::optional<StoredItem> find_item(std::string_view id) const = 0;
  [[nodiscard]] virtual std::vector<StoredRating> ratings_of(std::string_view user) const = 0;
  [[nodiscard]] virtual std::optional<StoredRating> find_rating(std::string_view user,
                                                                std::string_view item) const = 0;
  /// In byte order of ids, those after `after`, at most `limit`.
  [[nodiscard]] virtual std::vector<StoredUser> users(std::string_view after,
                                                      std::size_t limit) const = 0;
  [[nodiscard]] virtual std::vector<StoredItem> items(std::string_view after,
                                                      std::size_t limit) const = 0;
  [[nodiscard]] virtual StoreCounts counts() const = 0;
  /// Made at random with the store, and as long as it: another store has another.
  [[nodiscard]] virtual std::string identity() const = 0;

  struct Everything {
    Ratings ratings;             ///< with all known users, items and titles
    std::uint64_t sequence = 0;  ///< of the last change that is in it
  };
  /// One consistent state.
  [[nodiscard]] virtual Everything read_all(const Progress& progress = {}) const = 0;
  /// One consistent state, one by one: users, items, then ratings by user and item, in byte order
  /// of ids.
  virtual void read_each(const StoreVisitor& visitor) const = 0;

  enum class IfNotEmpty { refuse, replace };
  /// Puts what `next` gives (false: no more) in the place of all users, items, ratings and
  /// criteria; API keys stay. All or nothing. Followers learn of it by nullopt from
  /// changes_after(). Throws Error{usage} if the store is not empty and that is refused.
  virtual void replace_all(std::span<const Criterion> criteria,
                           const std::function<bool(StoreWrite&)>& next, IfNotEmpty rule) = 0;

  [[nodiscard]] virtual std::uint64_t last_sequence() const = 0;
  /// In order, those after `sequence`, at most `limit`; each user, item and rating once, where it
  /// was changed last, so that a rating may come before what was later changed of its user or item.
  /// nullopt: the history since then is not known; read_all() instead.
  [[nodiscard]] virtual std::optional<std::vector<StoreChange>> changes_after(
      std::uint64_t sequence, std::size_t limit) const = 0;
  /// The names of users who had left by `sequence` are needed no more, and leave memory.
  virtual void forget_departed(std::uint64_t sequence) = 0;
  /// Waits until another process may have written, or the time is over. Whether something came.
  /// Sees too, and throws, when a file is no longer in its place.
  virtual bool wait_for_changes(std::chrono::milliseconds time) = 0;
};

/// `where`: a file (SQLite, made if it is not there) or a URL postgresql://... Brings an older
/// schema up to date; a newer one is refused.
[[nodiscard]] std::unique_ptr<RatingStore> open_store(const std::string& where);

/// A copy of a store that is a file, with its API keys, as it stands at one moment; others may
/// write meanwhile. It is checked as a whole, has an identity of its own, and appears when it is
/// complete. Error{corrupt} if the store is damaged, Error{unsupported} for PostgreSQL, which has
/// pg_dump.
StoreCounts backup_store(const std::string& where, const std::filesystem::path& path,
                         const RunOptions& run = {});

/// Writes all but API keys as JSON lines, compressed if the name ends in .gz. One consistent state;
/// the file appears when it is complete.
StoreCounts dump_store(const RatingStore& store, const std::filesystem::path& path,
                       const RunOptions& run = {});
/// Brings back what dump_store() wrote. All or nothing; see RatingStore::replace_all().
StoreCounts restore_store(RatingStore& store, const std::filesystem::path& path,
                          RatingStore::IfNotEmpty rule = RatingStore::IfNotEmpty::refuse,
                          const RunOptions& run = {});

}  // namespace palate
#pragma GCC visibility pop
