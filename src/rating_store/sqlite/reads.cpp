#include "rating_store/sqlite/reads.hpp"

#include <algorithm>

#include "rating_store/sqlite/writer.hpp"

namespace palate::store {
namespace {

StoredUser user_in(const SqliteRows& rows) {
  return {std::string(rows.text(0)), std::string(rows.text(1))};
}
StoredItem item_in(const SqliteRows& rows) {
  return {std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2))};
}
std::int64_t time_in(const SqliteRows& rows, int column) {
  return rows.null(column) ? no_time : rows.integer(column);
}

// The first column of whatever is read for its changes.
std::uint64_t sequence_in(const SqliteRows& rows) {
  return static_cast<std::uint64_t>(rows.integer(0));
}

std::size_t criteria_count(SqliteConnection& db) {
  return static_cast<std::size_t>(db.number("SELECT count(*) FROM criteria"));
}

// Rows that changed after a sequence, in order.
struct Since {
  std::int64_t sequence;
  std::int64_t limit;

  template <class Take>
  void each(SqliteConnection& db, const char* sql, const Take& take) const {
    SqliteRows rows = db.query(sql, sequence, limit);
    while (rows.next()) take(rows);
  }
};

void changed_ratings(SqliteConnection& db, const Since& since, std::vector<FoundChange>& out) {
  since.each(db,
             "SELECT r.sequence, r.user, u.id, i.id, r.value_list, r.time FROM ratings r "
             "JOIN users u ON u.key = r.user JOIN items i ON i.key = r.item "
             "WHERE r.sequence > ? ORDER BY r.sequence LIMIT ?",
             [&, criteria = criteria_count(db)](SqliteRows& rows) {
               StoredRating rating{
                   std::string(rows.text(2)), std::string(rows.text(3)), {}, time_in(rows, 5)};
               unpack_values(rows.blob(4), criteria, rating, db.path());
               out.push_back(changed_rating(sequence_in(rows), rows.integer(1), std::move(rating)));
             });
}

void changed_users_and_items(SqliteConnection& db, const Since& since,
                             std::vector<FoundChange>& out) {
  since.each(db, "SELECT sequence, key, id FROM users WHERE sequence > ? ORDER BY sequence LIMIT ?",
             [&](SqliteRows& rows) {
               out.push_back(changed_user(sequence_in(rows), rows.integer(1), rows.text(2)));
             });
  since.each(
      db, "SELECT sequence, id FROM items WHERE sequence > ? ORDER BY sequence LIMIT ?",
      [&](SqliteRows& rows) { out.push_back(changed_item(sequence_in(rows), rows.text(1))); });
}

void departures(SqliteConnection& db, const Since& since, std::vector<FoundChange>& out) {
  since.each(db,
             "SELECT d.sequence, d.user, d.item, d.item_id, u.id, i.id FROM departures d "
             "LEFT JOIN users u ON u.key = d.user LEFT JOIN items i ON i.key = d.item "
             "WHERE d.sequence > ? ORDER BY d.sequence LIMIT ?",
             [&](SqliteRows& rows) {
               const auto user = rows.null(1) ? std::nullopt : std::optional(rows.integer(1));
               out.push_back(departed({sequence_in(rows), user, !rows.null(2), rows.text(3),
                                       rows.text(4), rows.text(5)}));
             });
}

using Names = std::unordered_map<std::int64_t, std::string>;

// As they lie: by key. The items of one user follow each other.
void scan_ratings(SqliteConnection& db, const StoreVisitor& visitor, std::size_t criteria,
                  const Names& users, const Names& items) {
  SqliteRows rows = db.query("SELECT user, item, value_list, time FROM ratings");
  StoredRating rating;
  std::int64_t user = 0;
  while (rows.next()) {
    if (rows.integer(0) != user) {
      user = rows.integer(0);
      rating.user = users.at(user);
    }
    rating.item = items.at(rows.integer(1));
    unpack_values(rows.blob(2), criteria, rating, db.path());
    rating.time = time_in(rows, 3);
    visitor.rating(rating);
  }
}

void scan_ratings_by_id(SqliteConnection& db, const StoreVisitor& visitor, std::size_t criteria,
                        const Names& users, const Names& items) {
  std::vector<std::pair<std::string_view, std::int64_t>> order;
  for (const auto& [key, id] : users) order.emplace_back(id, key);
  std::sort(order.begin(), order.end());
  std::vector<StoredRating> all;
  for (const auto& [id, key] : order) {
    all.clear();
    SqliteRows rows = db.query("SELECT item, value_list, time FROM ratings WHERE user = ?", key);
    while (rows.next()) {
      StoredRating& rating = all.emplace_back();
      rating.user = id;
      rating.item = items.at(rows.integer(0));
      unpack_values(rows.blob(1), criteria, rating, db.path());
      rating.time = time_in(rows, 2);
    }
    std::sort(all.begin(), all.end(),
              [](const StoredRating& a, const StoredRating& b) { return a.item < b.item; });
    for (const StoredRating& rating : all) visitor.rating(rating);
  }
}

}  // namespace

std::vector<Criterion> read_criteria(SqliteConnection& db) {
  std::vector<Criterion> out;
  SqliteRows rows = db.query("SELECT name, min, max FROM criteria ORDER BY position");
  while (rows.next()) {
    out.push_back({std::string(rows.text(0)), static_cast<float>(rows.real(1)),
                   static_cast<float>(rows.real(2))});
  }
  return out;
}

void write_criteria(SqliteConnection& db, std::span<const Criterion> criteria) {
  db.run("DELETE FROM criteria");
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    db.run("INSERT INTO criteria VALUES (?, ?, ?, ?)", static_cast<std::int64_t>(c),
           std::string_view(criteria[c].name), static_cast<double>(criteria[c].min),
           static_cast<double>(criteria[c].max));
  }
}

StoreCounts read_counts(SqliteConnection& db) {
  return {static_cast<std::size_t>(db.number("SELECT count(*) FROM users")),
          static_cast<std::size_t>(db.number("SELECT count(*) FROM items")),
          static_cast<std::size_t>(db.number("SELECT count(*) FROM ratings"))};
}

std::uint64_t read_sequence(SqliteConnection& db) {
  return static_cast<std::uint64_t>(db.number("SELECT sequence FROM meta"));
}

std::optional<StoredUser> read_user(SqliteConnection& db, std::string_view id) {
  SqliteRows rows = db.query("SELECT id, attributes FROM users WHERE id = ?", id);
  if (!rows.next()) return std::nullopt;
  return user_in(rows);
}

std::optional<StoredItem> read_item(SqliteConnection& db, std::string_view id) {
  SqliteRows rows = db.query("SELECT id, title, attributes FROM items WHERE id = ?", id);
  if (!rows.next()) return std::nullopt;
  return item_in(rows);
}

std::vector<StoredUser> read_users(SqliteConnection& db, std::string_view after,
                                   std::size_t limit) {
  SqliteRows rows = db.query("SELECT id, attributes FROM users WHERE id > ? ORDER BY id LIMIT ?",
                             after, signed_limit(limit));
  std::vector<StoredUser> out;
  while (rows.next()) out.push_back(user_in(rows));
  return out;
}

std::vector<StoredItem> read_items(SqliteConnection& db, std::string_view after,
                                   std::size_t limit) {
  SqliteRows rows =
      db.query("SELECT id, title, attributes FROM items WHERE id > ? ORDER BY id LIMIT ?", after,
               signed_limit(limit));
  std::vector<StoredItem> out;
  while (rows.next()) out.push_back(item_in(rows));
  return out;
}

std::optional<StoredRating> read_rating(SqliteConnection& db, std::string_view user,
                                        std::string_view item) {
  SqliteRows rows = db.query(
      "SELECT value_list, time FROM ratings WHERE user = (SELECT key FROM users WHERE id = ?) AND "
      "item = (SELECT key FROM items WHERE id = ?)",
      user, item);
  if (!rows.next()) return std::nullopt;
  StoredRating rating{std::string(user), std::string(item), {}, time_in(rows, 1)};
  unpack_values(rows.blob(0), criteria_count(db), rating, db.path());
  return rating;
}

std::vector<StoredRating> read_ratings_of(SqliteConnection& db, std::string_view user) {
  const std::size_t criteria = criteria_count(db);
  SqliteRows rows = db.query(
      "SELECT i.id, r.value_list, r.time FROM ratings r JOIN items i ON i.key = r.item "
      "WHERE r.user = (SELECT key FROM users WHERE id = ?) ORDER BY i.id",
      user);
  std::vector<StoredRating> out;
  while (rows.next()) {
    StoredRating& rating = out.emplace_back();
    rating.user = user;
    rating.item = rows.text(0);
    unpack_values(rows.blob(1), criteria, rating, db.path());
    rating.time = time_in(rows, 2);
  }
  return out;
}

FoundChanges read_changes(SqliteConnection& db, std::uint64_t sequence, std::size_t limit) {
  {
    SqliteRows meta = db.query("SELECT history_from, sequence FROM meta");
    meta.next();
    if (sequence < static_cast<std::uint64_t>(meta.integer(0)) ||
        sequence > static_cast<std::uint64_t>(meta.integer(1))) {
      return std::nullopt;
    }
  }
  std::vector<FoundChange> out;
  const auto after = static_cast<std::int64_t>(sequence);
  const Since since{after, signed_limit(limit)};
  changed_ratings(db, since, out);
  changed_users_and_items(db, since, out);
  departures(db, since, out);
  return out;
}

void scan_all(SqliteConnection& db, const StoreVisitor& visitor, bool ordered, KnownUsers& known) {
  const std::vector<Criterion> criteria = read_criteria(db);
  if (visitor.begin) visitor.begin(criteria, read_counts(db), read_sequence(db));
  Names users, items;
  {
    SqliteRows rows = db.query("SELECT id, attributes, key FROM users ORDER BY id");
    while (rows.next()) {
      known.add(rows.integer(2), rows.text(0));
      users.emplace(rows.integer(2), rows.text(0));
      if (visitor.user) visitor.user(user_in(rows));
    }
  }
  {
    SqliteRows rows = db.query("SELECT id, title, attributes, key FROM items ORDER BY id");
    while (rows.next()) {
      items.emplace(rows.integer(3), rows.text(0));
      if (visitor.item) visitor.item(item_in(rows));
    }
  }
  if (!visitor.rating) return;
  if (ordered) {
    scan_ratings_by_id(db, visitor, criteria.size(), users, items);
  } else {
    scan_ratings(db, visitor, criteria.size(), users, items);
  }
}

}  // namespace palate::store
