#include "rating_store/postgres/reads.hpp"

#include <unordered_map>

#include "rating_store/postgres/text.hpp"

namespace palate::store {
namespace {

std::string text_in(const pqxx::field& field) { return {field.c_str(), field.size()}; }
std::string_view view_of(const pqxx::field& field) { return {field.c_str(), field.size()}; }
std::int64_t key_in(const pqxx::field& field) { return field.as<std::int64_t>(); }
// The first column of whatever is read for its changes.
std::uint64_t sequence_in(const pqxx::row& row) { return row[0].as<std::uint64_t>(); }
std::int64_t time_in(const pqxx::field& field) {
  return field.is_null() ? no_time : field.as<std::int64_t>();
}

void values_in(const pqxx::field& field, std::size_t criteria, StoredRating& rating,
               const PostgresAddress& address) {
  if (parse_real_array(view_of(field), criteria, rating.values)) return;
  throw Error(ErrorCode::corrupt, "a rating does not have one value per criterion",
              {.file = address.shown()}, "put a backup in its place");
}

// Rows of an item's id, value list, time and the number of criteria.
std::vector<StoredRating> ratings_in(const PostgresRead& read, std::string_view user,
                                     const pqxx::result& rows) {
  std::vector<StoredRating> out;
  for (const pqxx::row& row : rows) {
    StoredRating& rating = out.emplace_back();
    rating.user = user;
    rating.item = view_of(row[0]);
    values_in(row[1], row[3].as<std::size_t>(), rating, read.address);
    rating.time = time_in(row[2]);
  }
  return out;
}

void changed_ratings(const PostgresRead& read, std::uint64_t sequence, std::int64_t limit,
                     std::vector<FoundChange>& out) {
  const std::size_t criteria = read_criteria(read).size();
  const pqxx::result rows = read.run(
      "SELECT r.sequence, r.user_key, u.id, i.id, r.value_list, r.time FROM palate_ratings r "
      "JOIN palate_users u ON u.key = r.user_key JOIN palate_items i ON i.key = r.item_key "
      "WHERE r.sequence > $1 ORDER BY r.sequence LIMIT $2",
      sequence, limit);
  for (const pqxx::row& row : rows) {
    StoredRating rating{text_in(row[2]), text_in(row[3]), {}, time_in(row[5])};
    values_in(row[4], criteria, rating, read.address);
    out.push_back(changed_rating(sequence_in(row), key_in(row[1]), std::move(rating)));
  }
}

void changed_users_and_items(const PostgresRead& read, std::uint64_t sequence, std::int64_t limit,
                             std::vector<FoundChange>& out) {
  for (const pqxx::row& row :
       read.run("SELECT sequence, key, id FROM palate_users WHERE sequence > $1 "
                "ORDER BY sequence LIMIT $2",
                sequence, limit)) {
    out.push_back(changed_user(sequence_in(row), key_in(row[1]), view_of(row[2])));
  }
  for (const pqxx::row& row : read.run("SELECT sequence, id FROM palate_items WHERE sequence > $1 "
                                       "ORDER BY sequence LIMIT $2",
                                       sequence, limit)) {
    out.push_back(changed_item(sequence_in(row), view_of(row[1])));
  }
}

void departures(const PostgresRead& read, std::uint64_t sequence, std::int64_t limit,
                std::vector<FoundChange>& out) {
  const pqxx::result rows = read.run(
      "SELECT d.sequence, d.user_key, d.item_key, d.item_id, u.id, i.id FROM palate_departures d "
      "LEFT JOIN palate_users u ON u.key = d.user_key "
      "LEFT JOIN palate_items i ON i.key = d.item_key "
      "WHERE d.sequence > $1 ORDER BY d.sequence LIMIT $2",
      sequence, limit);
  for (const pqxx::row& row : rows) {
    const auto user = row[1].is_null() ? std::nullopt : std::optional(key_in(row[1]));
    out.push_back(departed({sequence_in(row), user, !row[2].is_null(), view_of(row[3]),
                            view_of(row[4]), view_of(row[5])}));
  }
}

using Names = std::unordered_map<std::int64_t, std::string>;

// Through a cursor, so that memory does not grow with the store.
void scan_ratings(const PostgresRead& read, const StoreVisitor& visitor, std::size_t criteria,
                  bool ordered, const Names& users, const Names& items) {
  read.transaction.exec(
      std::string("DECLARE palate_scan NO SCROLL CURSOR FOR "
                  "SELECT user_key, item_key, value_list, r.time FROM palate_ratings r") +
      (ordered ? " JOIN palate_users u ON u.key = r.user_key JOIN palate_items i ON "
                 "i.key = r.item_key ORDER BY u.id, i.id"
               : ""));
  StoredRating rating;
  for (;;) {
    const pqxx::result rows = read.transaction.exec("FETCH 20000 FROM palate_scan");
    if (rows.empty()) break;
    for (const pqxx::row& row : rows) {
      rating.user = users.at(row[0].as<std::int64_t>());
      rating.item = items.at(row[1].as<std::int64_t>());
      values_in(row[2], criteria, rating, read.address);
      rating.time = time_in(row[3]);
      visitor.rating(rating);
    }
  }
}

}  // namespace

std::vector<Criterion> read_criteria(const PostgresRead& read) {
  std::vector<Criterion> out;
  for (const pqxx::row& row :
       read.run("SELECT name, min, max FROM palate_criteria ORDER BY position")) {
    out.push_back({text_in(row[0]), row[1].as<float>(), row[2].as<float>()});
  }
  return out;
}

StoreCounts read_counts(const PostgresRead& read) {
  const pqxx::row row = read.run(
                                "SELECT (SELECT count(*) FROM palate_users), (SELECT count(*) FROM "
                                "palate_items), (SELECT count(*) FROM palate_ratings)")
                            .at(0);
  return {row[0].as<std::size_t>(), row[1].as<std::size_t>(), row[2].as<std::size_t>()};
}

std::optional<StoredUser> read_user(const PostgresRead& read, std::string_view id) {
  const pqxx::result rows =
      read.run("SELECT attributes FROM palate_users WHERE id = $1", std::string(id));
  if (rows.empty()) return std::nullopt;
  return StoredUser{std::string(id), text_in(rows[0][0])};
}

std::optional<StoredItem> read_item(const PostgresRead& read, std::string_view id) {
  const pqxx::result rows =
      read.run("SELECT title, attributes FROM palate_items WHERE id = $1", std::string(id));
  if (rows.empty()) return std::nullopt;
  return StoredItem{std::string(id), text_in(rows[0][0]), text_in(rows[0][1])};
}

std::vector<StoredUser> read_users(const PostgresRead& read, std::string_view after,
                                   std::size_t limit) {
  std::vector<StoredUser> out;
  for (const pqxx::row& row :
       read.run("SELECT id, attributes FROM palate_users WHERE id > $1 ORDER BY id LIMIT $2",
                std::string(after), signed_limit(limit))) {
    out.push_back({text_in(row[0]), text_in(row[1])});
  }
  return out;
}

std::vector<StoredItem> read_items(const PostgresRead& read, std::string_view after,
                                   std::size_t limit) {
  std::vector<StoredItem> out;
  for (const pqxx::row& row :
       read.run("SELECT id, title, attributes FROM palate_items WHERE id > $1 ORDER BY id LIMIT $2",
                std::string(after), signed_limit(limit))) {
    out.push_back({text_in(row[0]), text_in(row[1]), text_in(row[2])});
  }
  return out;
}

std::vector<StoredRating> read_ratings_of(const PostgresRead& read, std::string_view user) {
  // The number of criteria comes along, so that one statement sees one state.
  return ratings_in(
      read, user,
      read.run("SELECT i.id, r.value_list, r.time, m.criteria FROM palate_meta m, "
               "palate_ratings r JOIN palate_items i ON i.key = r.item_key "
               "WHERE r.user_key = (SELECT key FROM palate_users WHERE id = $1) ORDER BY i.id",
               std::string(user)));
}

std::optional<StoredRating> read_rating(const PostgresRead& read, std::string_view user,
                                        std::string_view item) {
  auto found = ratings_in(
      read, user,
      read.run("SELECT i.id, r.value_list, r.time, m.criteria FROM palate_meta m, "
               "palate_ratings r JOIN palate_items i ON i.key = r.item_key "
               "WHERE r.user_key = (SELECT key FROM palate_users WHERE id = $1) AND i.id = $2",
               std::string(user), std::string(item)));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::uint64_t read_sequence(const PostgresRead& read) {
  return read.run("SELECT sequence FROM palate_meta").at(0)[0].as<std::uint64_t>();
}

FoundChanges read_changes(const PostgresRead& read, std::uint64_t sequence, std::size_t limit) {
  const pqxx::row meta = read.run("SELECT history_from, sequence FROM palate_meta").at(0);
  const auto last = meta[1].as<std::uint64_t>();
  if (sequence < meta[0].as<std::uint64_t>() || sequence > last) return std::nullopt;
  std::vector<FoundChange> out;
  if (sequence == last) return out;
  changed_ratings(read, sequence, signed_limit(limit), out);
  changed_users_and_items(read, sequence, signed_limit(limit), out);
  departures(read, sequence, signed_limit(limit), out);
  return out;
}

void scan_all(const PostgresRead& read, const StoreVisitor& visitor, bool ordered,
              KnownUsers& known) {
  const std::vector<Criterion> criteria = read_criteria(read);
  if (visitor.begin) {
    visitor.begin(criteria, read_counts(read), read_sequence(read));
  }
  Names users, items;
  for (const pqxx::row& row :
       read.run("SELECT key, id, attributes FROM palate_users ORDER BY id")) {
    const auto key = row[0].as<std::int64_t>();
    known.add(key, view_of(row[1]));
    users.emplace(key, view_of(row[1]));
    if (visitor.user) visitor.user({text_in(row[1]), text_in(row[2])});
  }
  for (const pqxx::row& row :
       read.run("SELECT key, id, title, attributes FROM palate_items ORDER BY id")) {
    items.emplace(row[0].as<std::int64_t>(), view_of(row[1]));
    if (visitor.item) visitor.item({text_in(row[1]), text_in(row[2]), text_in(row[3])});
  }
  if (visitor.rating) scan_ratings(read, visitor, criteria.size(), ordered, users, items);
}

}  // namespace palate::store
