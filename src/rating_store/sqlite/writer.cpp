#include "rating_store/sqlite/writer.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "palate/error.hpp"

namespace palate::store {

static_assert(std::endian::native == std::endian::little, "the file holds little-endian floats");

std::vector<float> packed_values(const StoredRating& rating) {
  std::vector<float> out(rating.values);
  for (float& value : out) {
    // One NaN and one zero, so that equal ratings are equal bytes.
    value = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value + 0.0F;
  }
  return out;
}

void unpack_values(std::span<const std::byte> packed, std::size_t criteria, StoredRating& rating,
                   const std::string& path) {
  if (packed.size() != criteria * sizeof(float)) {
    throw Error(ErrorCode::corrupt, "a rating does not have one value per criterion",
                {.file = path}, "put a backup in its place");
  }
  rating.values.resize(criteria);
  std::memcpy(rating.values.data(), packed.data(), packed.size());
}

SqliteWriter::SqliteWriter(SqliteConnection& connection)
    : db_(connection),
      criteria_(static_cast<std::size_t>(connection.number("SELECT count(*) FROM criteria"))),
      sequence_(static_cast<std::uint64_t>(connection.number("SELECT sequence FROM meta"))),
      stored_(sequence_) {}

void SqliteWriter::apply(const StoreWrite& write) {
  std::visit([this](const auto& one) { put(one); }, write);
}

void SqliteWriter::finish() {
  if (sequence_ == stored_) return;
  db_.run("UPDATE meta SET sequence = ?", static_cast<std::int64_t>(sequence_));
  stored_ = sequence_;
}

void SqliteWriter::begin_history(std::uint64_t sequence) {
  sequence_ = sequence;
  db_.run("DELETE FROM departures");
  db_.run("UPDATE meta SET history_from = ?", static_cast<std::int64_t>(sequence));
}

void SqliteWriter::trim(std::size_t kept) {
  const std::int64_t last =
      db_.number("SELECT sequence FROM departures ORDER BY sequence DESC LIMIT 1 OFFSET ?",
                 static_cast<std::int64_t>(kept));
  if (last == 0) return;
  db_.run("DELETE FROM departures WHERE sequence <= ?", last);
  db_.run("UPDATE meta SET history_from = max(history_from, ?)", last);
}

std::int64_t SqliteWriter::user_key(const std::string& id) {
  return db_.number("SELECT key FROM users WHERE id = ?", std::string_view(id));
}
std::int64_t SqliteWriter::item_key(const std::string& id) {
  return db_.number("SELECT key FROM items WHERE id = ?", std::string_view(id));
}

void SqliteWriter::put(const StoredRating& rating) {
  if (rating.values.size() != criteria_) {
    throw Error(ErrorCode::bad_input, "the criteria of the store were changed meanwhile");
  }
  std::int64_t user = user_key(rating.user);
  if (user == 0) {
    put(StoredUser{.id = rating.user});
    user = db_.last_key();
  }
  std::int64_t item = item_key(rating.item);
  if (item == 0) {
    put(StoredItem{.id = rating.item});
    item = db_.last_key();
  }
  const std::vector<float> values = packed_values(rating);
  const auto time = rating.time == no_time ? std::nullopt : std::optional(rating.time);
  const std::int64_t changed = db_.run(
      "INSERT INTO ratings VALUES (?, ?, ?, ?, ?) ON CONFLICT (user, item) DO UPDATE SET "
      "value_list = excluded.value_list, time = excluded.time, sequence = excluded.sequence "
      "WHERE value_list IS NOT excluded.value_list OR time IS NOT excluded.time",
      user, item, std::as_bytes(std::span(values)), time, next());
  if (changed > 0) ++sequence_;
}

void SqliteWriter::put(const RatingKey& key) {
  const std::int64_t user = user_key(key.user);
  const std::int64_t item = item_key(key.item);
  if (db_.run("DELETE FROM ratings WHERE user = ? AND item = ?", user, item) == 0) return;
  db_.run("INSERT INTO departures VALUES (?, ?, ?, NULL)", next(), user, item);
  ++sequence_;
  ++departures_;
}

void SqliteWriter::put(const StoredUser& user) {
  const std::int64_t changed = db_.run(
      "INSERT INTO users (id, attributes, sequence) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE "
      "SET attributes = excluded.attributes, sequence = excluded.sequence "
      "WHERE attributes <> excluded.attributes",
      std::string_view(user.id), std::string_view(user.attributes), next());
  if (changed == 0) return;
  ++sequence_;
  users_.emplace_back(user_key(user.id), user.id);
}

void SqliteWriter::put(const StoredItem& item) {
  const std::int64_t changed = db_.run(
      "INSERT INTO items (id, title, attributes, sequence) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO "
      "UPDATE SET title = excluded.title, attributes = excluded.attributes, sequence = "
      "excluded.sequence WHERE title <> excluded.title OR attributes <> excluded.attributes",
      std::string_view(item.id), std::string_view(item.title), std::string_view(item.attributes),
      next());
  if (changed > 0) ++sequence_;
}

void SqliteWriter::put(const DeleteUser& user) {
  const std::int64_t key = user_key(user.id);
  if (key == 0) return;
  users_.emplace_back(key, user.id);
  db_.run("DELETE FROM departures WHERE user = ?", key);
  db_.run("DELETE FROM users WHERE key = ?", key);
  db_.run("INSERT INTO departures VALUES (?, ?, NULL, NULL)", next(), key);
  ++sequence_;
  ++departures_;
  user_deleted_ = true;
}

void SqliteWriter::put(const DeleteItem& item) {
  const std::int64_t key = item_key(item.id);
  if (key == 0) return;
  db_.run("DELETE FROM departures WHERE item = ?", key);
  db_.run("DELETE FROM items WHERE key = ?", key);
  db_.run("INSERT INTO departures VALUES (?, NULL, ?, ?)", next(), key, std::string_view(item.id));
  ++sequence_;
  ++departures_;
}

}  // namespace palate::store
