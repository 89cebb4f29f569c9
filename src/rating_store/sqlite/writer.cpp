#include "rating_store/sqlite/writer.hpp"

#include <cmath>
#include <limits>

namespace palate::store {

namespace {

// One NaN and one zero, so that equal ratings are equal bytes.
std::vector<float> packed_values(const StoredRating& rating) {
  std::vector<float> out(rating.values);
  for (float& value : out) {
    value = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value + 0.0F;
  }
  return out;
}

}  // namespace

std::vector<WriteEffect> SqliteWriter::apply(std::span<const StoreWrite* const> writes) {
  std::vector<WriteEffect> effects;
  effects.reserve(writes.size());
  for (const StoreWrite* write : writes) {
    effects.push_back(std::visit([this](const auto& one) { return put(one); }, *write));
  }
  return effects;
}

std::int64_t SqliteWriter::user_key(const std::string& id) {
  return db_.number("SELECT key FROM users WHERE id = ?", id);
}
std::int64_t SqliteWriter::item_key(const std::string& id) {
  return db_.number("SELECT key FROM items WHERE id = ?", id);
}

WriteEffect SqliteWriter::counted(WriteEffect effect) {
  ++sequence_;
  return effect;
}

WriteEffect SqliteWriter::departed() {
  ++departures_;
  return counted(WriteEffect::deleted);
}

// First as something new, which most are; what is there already is updated if it differs.
WriteEffect SqliteWriter::put(const StoredRating& rating) {
  check_criteria(rating);
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
  const std::span<const std::byte> packed = std::as_bytes(std::span(values));
  const Value time = rating.time == no_time ? Value(nullptr) : Value(rating.time);
  if (db_.run("INSERT INTO ratings VALUES (?, ?, ?, ?, ?) ON CONFLICT (user, item) DO NOTHING",
              user, item, packed, time, next()) > 0) {
    return counted(WriteEffect::created);
  }
  if (db_.run("UPDATE ratings SET value_list = ?3, time = ?4, sequence = ?5 "
              "WHERE user = ?1 AND item = ?2 AND (value_list IS NOT ?3 OR time IS NOT ?4)",
              user, item, packed, time, next()) > 0) {
    return counted(WriteEffect::changed);
  }
  return WriteEffect::none;
}

WriteEffect SqliteWriter::put(const RatingKey& key) {
  const std::int64_t user = user_key(key.user);
  const std::int64_t item = item_key(key.item);
  if (db_.run("DELETE FROM ratings WHERE user = ? AND item = ?", user, item) == 0) {
    return WriteEffect::none;
  }
  db_.run("INSERT INTO departures VALUES (?, ?, ?, NULL)", next(), user, item);
  return departed();
}

WriteEffect SqliteWriter::put(const StoredUser& user) {
  if (db_.run("INSERT INTO users (id, attributes, sequence) VALUES (?, ?, ?) "
              "ON CONFLICT (id) DO NOTHING",
              user.id, user.attributes, next()) > 0) {
    users_.emplace_back(db_.last_key(), user.id);
    return counted(WriteEffect::created);
  }
  if (db_.run("UPDATE users SET attributes = ?2, sequence = ?3 WHERE id = ?1 AND attributes <> ?2",
              user.id, user.attributes, next()) > 0) {
    users_.emplace_back(user_key(user.id), user.id);
    return counted(WriteEffect::changed);
  }
  return WriteEffect::none;
}

WriteEffect SqliteWriter::put(const StoredItem& item) {
  if (db_.run("INSERT INTO items (id, title, attributes, sequence) VALUES (?, ?, ?, ?) "
              "ON CONFLICT (id) DO NOTHING",
              item.id, item.title, item.attributes, next()) > 0) {
    return counted(WriteEffect::created);
  }
  if (db_.run("UPDATE items SET title = ?2, attributes = ?3, sequence = ?4 "
              "WHERE id = ?1 AND (title <> ?2 OR attributes <> ?3)",
              item.id, item.title, item.attributes, next()) > 0) {
    return counted(WriteEffect::changed);
  }
  return WriteEffect::none;
}

WriteEffect SqliteWriter::put(const DeleteUser& user) {
  const std::int64_t key = user_key(user.id);
  if (key == 0) return WriteEffect::none;
  users_.emplace_back(key, user.id);
  db_.run("DELETE FROM departures WHERE user = ?", key);
  db_.run("DELETE FROM users WHERE key = ?", key);
  db_.run("INSERT INTO departures VALUES (?, ?, NULL, NULL)", next(), key);
  user_deleted_ = true;
  return departed();
}

WriteEffect SqliteWriter::put(const DeleteItem& item) {
  const std::int64_t key = item_key(item.id);
  if (key == 0) return WriteEffect::none;
  db_.run("DELETE FROM departures WHERE item = ?", key);
  db_.run("DELETE FROM items WHERE key = ?", key);
  db_.run("INSERT INTO departures VALUES (?, NULL, ?, ?)", next(), key, item.id);
  return departed();
}

}  // namespace palate::store
