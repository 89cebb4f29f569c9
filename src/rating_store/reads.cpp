#include "rating_store/reads.hpp"

#include <algorithm>
#include <limits>

#include "palate/error.hpp"

namespace palate::store {
namespace {

using Kind = StoreChange::Kind;

// Puts a row's value list and time, which follow each other, into `rating`.
void values_in(const Session& db, const Row& row, int column, std::size_t criteria,
               StoredRating& rating) {
  if (!row.values(column, criteria, rating.values)) {
    throw Error(ErrorCode::corrupt, "a rating does not have one value per criterion",
                {.file = db.where()}, "put a backup in its place");
  }
  rating.time = row.null(column + 1) ? no_time : row.integer(column + 1);
}

// Of rows of an item's id, value list, time and the number of criteria, which comes along so that
// one statement sees one state.
auto rating_by(const Session& db, std::string_view user) {
  return [&db, user](const Row& row) {
    StoredRating rating{.user = std::string(user), .item = row.string(0)};
    values_in(db, row, 1, row.count(3), rating);
    return rating;
  };
}

// A row of departures, joined with users and items. A rating has user and item, a user only user,
// an item only item and its id.
FoundChange departed(const Row& row) {
  FoundChange found{{.sequence = row.count(0)}, row.integer(1)};
  StoreChange& change = found.change;
  if (row.null(2)) {
    change.kind = Kind::user_deleted;
  } else if (row.null(1)) {
    change.kind = Kind::item_deleted;
    change.item = row.text(3);
  } else {
    change.user = row.text(4);
    change.item = row.text(5);
  }
  return found;
}

}  // namespace

void KnownUsers::add(std::int64_t key, std::string_view id) {
  const std::lock_guard lock(mutex_);
  names_.try_emplace(key, id);
}

std::string KnownUsers::find(std::int64_t key) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(key);
  return found == names_.end() ? std::string() : found->second;
}

void KnownUsers::forget(std::span<const std::int64_t> keys) {
  const std::lock_guard lock(mutex_);
  for (const std::int64_t key : keys) names_.erase(key);
}

std::vector<StoreChange> named(std::vector<FoundChange> found, std::size_t limit,
                               KnownUsers& known) {
  std::sort(found.begin(), found.end(), [](const FoundChange& a, const FoundChange& b) {
    return a.change.sequence < b.change.sequence;
  });
  if (found.size() > limit) found.resize(limit);
  std::vector<StoreChange> out;
  out.reserve(found.size());
  for (FoundChange& one : found) {
    if (one.change.kind == Kind::user_deleted) {
      one.change.user = known.find(one.user_key);
    } else if (!one.change.user.empty()) {
      known.add(one.user_key, one.change.user);
    }
    out.push_back(std::move(one.change));
  }
  return out;
}

std::int64_t signed_limit(std::size_t limit) {
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(limit, most));
}

StoredUser user_in(const Row& row) { return {row.string(0), row.string(1)}; }
StoredItem item_in(const Row& row) { return {row.string(0), row.string(1), row.string(2)}; }

std::vector<Criterion> read_criteria(Session& db) {
  return db.list(
      "SELECT name, min, max FROM palate_criteria ORDER BY position",
      [](const Row& row) -> Criterion {
        return {row.string(0), static_cast<float>(row.real(1)), static_cast<float>(row.real(2))};
      });
}

StoreCounts read_counts(Session& db) {
  StoreCounts out;
  db.each(
      "SELECT (SELECT count(*) FROM palate_users), (SELECT count(*) FROM palate_items), "
      "(SELECT count(*) FROM palate_ratings)",
      [&](const Row& row) {
        out = {row.count(0), row.count(1), row.count(2)};
      });
  return out;
}

std::uint64_t read_sequence(Session& db) {
  std::uint64_t sequence = 0;
  db.each("SELECT sequence, schema FROM palate_meta", [&](const Row& row) {
    sequence = row.count(0);
    refuse_changed_schema(row.integer(1), db.where());
  });
  return sequence;
}

std::vector<StoredRating> read_ratings_of(Session& db, std::string_view user) {
  return db.list(
      "SELECT i.id, r.value_list, r.time, (SELECT count(*) FROM palate_criteria) "
      "FROM palate_ratings r JOIN palate_items i ON i.key = r.item_key "
      "WHERE r.user_key = (SELECT key FROM palate_users WHERE id = $1) ORDER BY i.id",
      rating_by(db, user), user);
}

std::optional<StoredRating> read_rating(Session& db, std::string_view user, std::string_view item) {
  return db.find(
      "SELECT i.id, r.value_list, r.time, (SELECT count(*) FROM palate_criteria) "
      "FROM palate_ratings r JOIN palate_items i ON i.key = r.item_key "
      "WHERE r.user_key = (SELECT key FROM palate_users WHERE id = $1) AND i.id = $2",
      rating_by(db, user), user, item);
}

std::optional<std::vector<FoundChange>> read_changes(Session& db, std::uint64_t sequence,
                                                     std::size_t limit) {
  std::uint64_t first = 0, last = 0;
  db.each("SELECT history_from, sequence FROM palate_meta", [&](const Row& row) {
    first = row.count(0);
    last = row.count(1);
  });
  if (sequence < first || sequence > last) return std::nullopt;
  std::vector<FoundChange> out;
  if (sequence == last) return out;
  const auto after = static_cast<std::int64_t>(sequence);
  const std::int64_t most = signed_limit(limit);
  const std::size_t criteria = read_criteria(db).size();
  db.each(
      "SELECT r.sequence, r.user_key, u.id, i.id, r.value_list, r.time FROM palate_ratings r "
      "JOIN palate_users u ON u.key = r.user_key JOIN palate_items i ON i.key = r.item_key "
      "WHERE r.sequence > $1 ORDER BY r.sequence LIMIT $2",
      [&](const Row& row) {
        StoredRating rating{.user = row.string(2), .item = row.string(3)};
        values_in(db, row, 4, criteria, rating);
        out.push_back({{row.count(0), Kind::rating, rating.user, rating.item, std::move(rating)},
                       row.integer(1)});
      },
      after, most);
  db.each(
      "SELECT sequence, key, id FROM palate_users WHERE sequence > $1 ORDER BY sequence LIMIT $2",
      [&](const Row& row) {
        out.push_back({{row.count(0), Kind::user, row.string(2)}, row.integer(1)});
      },
      after, most);
  db.each(
      "SELECT sequence, id FROM palate_items WHERE sequence > $1 ORDER BY sequence LIMIT $2",
      [&](const Row& row) {
        out.push_back({{row.count(0), Kind::item, {}, row.string(1)}});
      },
      after, most);
  db.each(
      "SELECT d.sequence, d.user_key, d.item_key, d.item_id, u.id, i.id FROM palate_departures d "
      "LEFT JOIN palate_users u ON u.key = d.user_key "
      "LEFT JOIN palate_items i ON i.key = d.item_key "
      "WHERE d.sequence > $1 ORDER BY d.sequence LIMIT $2",
      [&](const Row& row) { out.push_back(departed(row)); }, after, most);
  return out;
}

std::vector<std::int64_t> read_departed(Session& db, std::uint64_t sequence) {
  return db.list(
      "SELECT user_key FROM palate_departures "
      "WHERE sequence <= $1 AND user_key IS NOT NULL AND item_key IS NULL",
      [](const Row& row) { return row.integer(0); }, static_cast<std::int64_t>(sequence));
}

void scan_all(Session& db, const StoreVisitor& visitor, Order order, KnownUsers& known) {
  const std::vector<Criterion> criteria = read_criteria(db);
  if (visitor.begin) visitor.begin(criteria, read_counts(db), read_sequence(db));
  std::unordered_map<std::int64_t, std::string> users, items;
  db.each("SELECT id, attributes, key FROM palate_users ORDER BY id", [&](const Row& row) {
    known.add(row.integer(2), row.text(0));
    users.emplace(row.integer(2), row.text(0));
    if (visitor.user) visitor.user(user_in(row));
  });
  db.each("SELECT id, title, attributes, key FROM palate_items ORDER BY id", [&](const Row& row) {
    items.emplace(row.integer(3), row.text(0));
    if (visitor.item) visitor.item(item_in(row));
  });
  if (!visitor.rating) return;
  // CROSS JOIN has SQLite go through the users in their order, and sort the items of one at a time.
  StoredRating rating;
  db.scan(order == Order::any
              ? "SELECT user_key, item_key, value_list, time FROM palate_ratings"
              : "SELECT r.user_key, r.item_key, r.value_list, r.time FROM palate_users u "
                "CROSS JOIN palate_ratings r CROSS JOIN palate_items i "
                "WHERE r.user_key = u.key AND i.key = r.item_key ORDER BY u.id, i.id",
          [&](const Row& row) {
            rating.user = users.at(row.integer(0));
            rating.item = items.at(row.integer(1));
            values_in(db, row, 2, criteria.size(), rating);
            visitor.rating(rating);
          });
}

}  // namespace palate::store
