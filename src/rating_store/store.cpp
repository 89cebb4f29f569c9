#include "rating_store/store.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "palate/error.hpp"
#include "rating_store/group_commit.hpp"
#include "rating_store/reads.hpp"
#include "rating_store/sql.hpp"
#include "rating_store/writer.hpp"

namespace palate::store {
namespace {

bool same_names(std::span<const Criterion> a, std::span<const Criterion> b) {
  return std::ranges::equal(a, b, {}, &Criterion::name, &Criterion::name);
}

bool same_criteria(std::span<const Criterion> a, std::span<const Criterion> b) {
  return std::ranges::equal(a, b, [](const Criterion& x, const Criterion& y) {
    return x.name == y.name && x.min == y.min && x.max == y.max;
  });
}

void refuse_not_empty(const StoreCounts& counts, const std::string& where) {
  if (counts.users + counts.items + counts.ratings == 0) return;
  throw Error(ErrorCode::usage,
              "the store is not empty: it has " + std::to_string(counts.ratings) + " ratings of " +
                  std::to_string(counts.users) + " users",
              {.file = where}, "name a new store, or say that all of it shall be replaced");
}

// What was handed out or taken in cannot be had again on another connection.
void refuse_second_try(bool begun, const char* doing, const std::string& where) {
  if (!begun) return;
  throw Error(ErrorCode::io, std::string("the connection was lost in the middle of ") + doing,
              {.file = where}, "begin it again");
}

// After a restore every older sequence has to be one that followers ask in vain, in whatever store
// the data came from: far above all that a store counts up to, and later restores above earlier.
std::uint64_t sequence_after_restore(std::uint64_t current) {
  // A second is worth 2^20, more changes than any store takes in one.
  const auto now = static_cast<std::uint64_t>(now_seconds()) << 20;
  return std::max(current + 1, now);
}

class Store final : public RatingStore {
 public:
  Store(std::unique_ptr<Database> database, StoreTuning tuning)
      : database_(std::move(database)),
        tuning_(tuning),
        group_([this](std::span<const StoreWrite* const> writes) { return commit(writes); }) {}

  [[nodiscard]] std::vector<Criterion> criteria() const override {
    return database_->ask(read_criteria);
  }
  void set_criteria(std::span<const Criterion> criteria) override;
  WriteResult write(std::span<const StoreWrite> writes) override;

  [[nodiscard]] std::optional<StoredUser> find_user(std::string_view id) const override {
    return database_->ask([&](Session& db) {
      return db.find("SELECT id, attributes FROM palate_users WHERE id = $1", user_in, id);
    });
  }
  [[nodiscard]] std::optional<StoredItem> find_item(std::string_view id) const override {
    return database_->ask([&](Session& db) {
      return db.find("SELECT id, title, attributes FROM palate_items WHERE id = $1", item_in, id);
    });
  }
  [[nodiscard]] std::vector<StoredRating> ratings_of(std::string_view user) const override {
    return database_->ask([&](Session& db) { return read_ratings_of(db, user); });
  }
  [[nodiscard]] std::optional<StoredRating> find_rating(std::string_view user,
                                                        std::string_view item) const override {
    return database_->ask([&](Session& db) { return read_rating(db, user, item); });
  }
  [[nodiscard]] std::vector<StoredUser> users(std::string_view after,
                                              std::size_t limit) const override {
    return database_->ask([&](Session& db) {
      return db.list("SELECT id, attributes FROM palate_users WHERE id > $1 ORDER BY id LIMIT $2",
                     user_in, after, signed_limit(limit));
    });
  }
  [[nodiscard]] std::vector<StoredItem> items(std::string_view after,
                                              std::size_t limit) const override {
    return database_->ask([&](Session& db) {
      return db.list(
          "SELECT id, title, attributes FROM palate_items WHERE id > $1 ORDER BY id LIMIT $2",
          item_in, after, signed_limit(limit));
    });
  }
  [[nodiscard]] StoreCounts counts() const override { return database_->ask(read_counts); }
  [[nodiscard]] std::string identity() const override {
    return database_
        ->ask([](Session& db) {
          return db.find("SELECT identity FROM palate_meta",
                         [](const Row& row) { return row.string(0); });
        })
        .value_or("");
  }
  [[nodiscard]] std::uint64_t last_sequence() const override {
    return database_->ask(read_sequence);
  }

  [[nodiscard]] Everything read_all(const Progress& progress) const override;
  void read_each(const StoreVisitor& visitor) const override { scan(visitor, Order::by_id); }
  void replace_all(std::span<const Criterion> criteria,
                   const std::function<bool(StoreWrite&)>& next, IfNotEmpty rule) override;
  [[nodiscard]] std::optional<std::vector<StoreChange>> changes_after(
      std::uint64_t sequence, std::size_t limit) const override;
  void forget_departed(std::uint64_t sequence) override {
    known_users_.forget(database_->ask([&](Session& db) { return read_departed(db, sequence); }));
  }
  bool wait_for_changes(std::chrono::milliseconds time) override {
    return database_->wait_for_changes(time);
  }

 private:
  void check(std::span<const StoreWrite> writes);
  [[nodiscard]] std::vector<Criterion> known_criteria(bool fresh);
  /// Commits come one at a time: GroupCommit sees to that.
  WriteResult commit(std::span<const StoreWrite* const> writes);
  void scan(const StoreVisitor& visitor, Order order) const;
  void remember(const Writer::Users& users) const {
    for (const auto& [key, id] : users) known_users_.add(key, id);
  }

  std::unique_ptr<Database> database_;
  StoreTuning tuning_;
  GroupCommit group_;
  std::size_t departures_since_trim_ = 0;
  mutable KnownUsers known_users_;
  mutable std::once_flag users_loaded_;

  std::mutex criteria_mutex_;
  std::vector<Criterion> criteria_;
};

void Store::set_criteria(std::span<const Criterion> criteria) {
  check_criteria(criteria);
  database_->write([&](Writer& out) {
    const std::vector<Criterion> stored = read_criteria(out.session());
    if (same_criteria(stored, criteria)) return;
    if (!same_names(stored, criteria) &&
        out.session().number("SELECT 1 FROM palate_ratings LIMIT 1") != 0) {
      throw Error(ErrorCode::usage, "the criteria cannot be changed once there are ratings",
                  {.field = "criteria"}, "their scales can; for other criteria begin a new store");
    }
    out.write_criteria(criteria);
    out.begin_history(out.sequence() + 1);
  });
}

std::vector<Criterion> Store::known_criteria(bool fresh) {
  {
    const std::lock_guard lock(criteria_mutex_);
    if (!fresh && !criteria_.empty()) return criteria_;
  }
  std::vector<Criterion> now = criteria();
  const std::lock_guard lock(criteria_mutex_);
  criteria_ = now;
  return now;
}

// Criteria hardly ever change, so those seen last are believed until something does not fit.
void Store::check(std::span<const StoreWrite> writes) {
  const std::vector<Criterion> seen = known_criteria(false);
  try {
    check_writes(writes, seen);
  } catch (const Error&) {
    const std::vector<Criterion> now = known_criteria(true);
    if (same_names(seen, now)) throw;
    check_writes(writes, now);
  }
}

WriteResult Store::write(std::span<const StoreWrite> writes) {
  if (writes.empty()) return {last_sequence(), {}};
  check(writes);
  return group_.submit(writes);
}

WriteResult Store::commit(std::span<const StoreWrite* const> writes) {
  WriteResult result;
  std::size_t departures = 0;
  Writer::Users users;
  database_->write([&](Writer& out) {
    result.effects = out.apply(writes);
    departures = departures_since_trim_ + out.departures();
    if (departures > tuning_.kept_departures / 10) {
      out.trim(tuning_.kept_departures);
      departures = 0;
    }
    result.sequence = out.sequence();
    users = out.users();
  });
  departures_since_trim_ = departures;
  remember(users);
  return result;
}

void Store::scan(const StoreVisitor& visitor, Order order) const {
  bool begun = false;
  database_->read(Database::Scope::state, [&](Session& db) {
    refuse_second_try(begun, "reading", db.where());
    StoreVisitor noted = visitor;
    noted.begin = [&](auto&&... what) {
      begun = true;
      if (visitor.begin) visitor.begin(what...);
    };
    scan_all(db, noted, order, known_users_);
  });
}

RatingStore::Everything Store::read_all(const Progress& progress) const {
  constexpr std::uint64_t step = 10'000;
  Everything out;
  std::uint64_t all = 0, done = 0;
  std::optional<RatingsBuilder> builder;
  StoreVisitor visitor;
  visitor.begin = [&](std::span<const Criterion> criteria, const StoreCounts& counts,
                      std::uint64_t sequence) {
    out.sequence = sequence;
    all = counts.ratings;
    if (criteria.empty()) return;
    std::vector<std::string> names;
    for (const Criterion& criterion : criteria) names.push_back(criterion.name);
    builder.emplace(std::move(names));
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      if (criteria[c].max > 0) builder->set_scale(c, criteria[c].min, criteria[c].max);
    }
  };
  visitor.user = [&](const StoredUser& user) {
    if (builder) builder->add_user(user.id);
  };
  visitor.item = [&](const StoredItem& item) {
    if (!builder) return;
    builder->add_item(item.id);
    if (!item.title.empty()) builder->set_title(item.id, item.title);
  };
  visitor.rating = [&](const StoredRating& rating) {
    if (progress && done++ % step == 0 && !progress("ratings", done, all)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
    const bool timed = rating.time != no_time;
    builder->add(rating.user, rating.item, rating.values,
                 timed ? std::optional(rating.time) : std::nullopt);
  };
  scan(visitor, Order::any);
  if (builder) out.ratings = builder->build();
  return out;
}

std::optional<std::vector<StoreChange>> Store::changes_after(std::uint64_t sequence,
                                                             std::size_t limit) const {
  std::call_once(users_loaded_, [this] {
    database_->read(Database::Scope::statement, [this](Session& db) {
      db.each("SELECT key, id FROM palate_users",
              [this](const Row& row) { known_users_.add(row.integer(0), row.text(1)); });
    });
  });
  std::optional<std::vector<FoundChange>> found;
  database_->read(Database::Scope::state,
                  [&](Session& db) { found = read_changes(db, sequence, limit); });
  if (!found) return std::nullopt;
  return named(std::move(*found), limit, known_users_);
}

void Store::replace_all(std::span<const Criterion> criteria,
                        const std::function<bool(StoreWrite&)>& next, IfNotEmpty rule) {
  if (!criteria.empty()) check_criteria(criteria);
  constexpr std::size_t most = 10'000;
  std::vector<StoreWrite> writes(most);
  std::vector<const StoreWrite*> batch;
  const auto next_batch = [&] {
    batch.clear();
    while (batch.size() < most && next(writes[batch.size()])) {
      check_write(writes[batch.size()], criteria);
      batch.push_back(&writes[batch.size()]);
    }
    return !batch.empty();
  };
  Writer::Users users;
  bool begun = false;
  database_->write([&](Writer& out) {
    Session& db = out.session();
    refuse_second_try(std::exchange(begun, true), "writing", db.where());
    if (rule == IfNotEmpty::refuse) refuse_not_empty(read_counts(db), db.where());
    db.script("DELETE FROM palate_ratings; DELETE FROM palate_users; DELETE FROM palate_items;");
    out.write_criteria(criteria);
    // What is read in is one state, not a history.
    out.begin_history(sequence_after_restore(out.sequence()));
    while (next_batch()) out.apply(batch);
    out.begin_history(out.sequence());
    users = out.users();
  });
  remember(users);
}

}  // namespace

void refuse_newer_schema(std::int64_t version, const std::string& where) {
  if (version >= 1 && version <= newest_schema) return;
  throw Error(ErrorCode::corrupt,
              "the store has schema version " + std::to_string(version) +
                  ", and this program knows versions up to " + std::to_string(newest_schema),
              {.file = where}, "use the version of Palate that wrote it, or a newer one");
}

void refuse_changed_schema(std::int64_t version, const std::string& where) {
  if (version == newest_schema) return;
  throw Error(ErrorCode::io,
              "the store was brought to schema version " + std::to_string(version) +
                  " while it was in use, and this program knows version " +
                  std::to_string(newest_schema),
              {.file = where}, "install the newer version of Palate here too, and start it");
}

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::unique_ptr<Database> open_database(const std::string& where) {
  const char* const hint = "name a file, or a database as postgresql://user@host/database";
  if (where.empty()) throw Error(ErrorCode::usage, "the store has no name", {}, hint);
  if (where.starts_with("postgresql://") || where.starts_with("postgres://")) {
    return open_postgres(where);
  }
  const std::size_t scheme = where.find("://");
  if (scheme == std::string::npos) return open_sqlite(where);
  throw Error(ErrorCode::usage, "there is no store of the kind '" + where.substr(0, scheme) + "'",
              {}, hint);
}

std::unique_ptr<RatingStore> open_store(const std::string& where, StoreTuning tuning) {
  return std::make_unique<Store>(open_database(where), tuning);
}

}  // namespace palate::store

namespace palate {

StoreCounts backup_store(const std::string& where, const std::filesystem::path& path,
                         const RunOptions& run) {
  if (where.starts_with("postgres")) {
    throw Error(ErrorCode::unsupported, "a database is not copied as a file", {},
                "use pg_dump, or palate dump");
  }
  if (!std::filesystem::is_regular_file(where)) {
    throw Error(ErrorCode::io, "there is no such file", {.file = where}, "check the name");
  }
  return store::backup_sqlite(where, path, run);
}

std::unique_ptr<RatingStore> open_store(const std::string& where) {
  return store::open_store(where, {});
}

}  // namespace palate
