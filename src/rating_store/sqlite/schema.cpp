// The tables, and how older ones become newer.
#include <array>

#include "palate/error.hpp"
#include "rating_store/sqlite/connection.hpp"

namespace palate::store {
namespace {

// "PLTE" in the header of the file, where `file` and others look.
constexpr std::int64_t application_id = 0x504c5445;

// Step k makes version k + 1 out of version k. Steps that were once released are never changed.
//
// There is no log beside the data: each row knows the sequence of its last change, and what is gone
// leaves a row in `departures`. So the history of what is there never ends, a user's rows vanish
// with all that was said of them, and only deletions have to be trimmed: followers who ask from
// before meta.history_from are told to begin anew. A user who is gone is a number there.
constexpr std::array<const char*, newest_schema> sqlite_steps = {R"(
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  schema INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  history_from INTEGER NOT NULL) STRICT;
INSERT INTO meta VALUES (1, 1, 0, 0);
CREATE TABLE criteria (
  position INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  min REAL NOT NULL,
  max REAL NOT NULL) STRICT;
CREATE TABLE users (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  attributes TEXT NOT NULL,
  sequence INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX users_by_sequence ON users (sequence);
CREATE TABLE items (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  attributes TEXT NOT NULL,
  sequence INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX items_by_sequence ON items (sequence);
-- value_list: one little-endian 32-bit float per criterion, NaN where it was not rated.
CREATE TABLE ratings (
  user INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
  item INTEGER NOT NULL REFERENCES items (key) ON DELETE CASCADE,
  value_list BLOB NOT NULL,
  time INTEGER,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (user, item)) STRICT, WITHOUT ROWID;
CREATE INDEX ratings_by_item ON ratings (item);
CREATE UNIQUE INDEX ratings_by_sequence ON ratings (sequence);
-- A rating has user and item, a user only user, an item item and item_id.
CREATE TABLE departures (
  sequence INTEGER PRIMARY KEY,
  user INTEGER,
  item INTEGER,
  item_id TEXT) STRICT;
CREATE INDEX departures_by_user ON departures (user);
CREATE INDEX departures_by_item ON departures (item);
CREATE TABLE api_keys (
  name TEXT PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  role TEXT NOT NULL,
  created INTEGER NOT NULL) STRICT;
)",
                                                                 // Which store this is.
                                                                 R"(
ALTER TABLE meta ADD COLUMN identity TEXT NOT NULL DEFAULT '';
UPDATE meta SET identity = lower(hex(randomblob(16)));
)",
                                                                 // Keys that end, are renewed, are
                                                                 // limited; who did what.
                                                                 R"(
ALTER TABLE api_keys ADD COLUMN expires INTEGER;
ALTER TABLE api_keys ADD COLUMN rate REAL;
ALTER TABLE api_keys ADD COLUMN old_hash BLOB;
ALTER TABLE api_keys ADD COLUMN old_until INTEGER;
CREATE UNIQUE INDEX api_keys_by_old_hash ON api_keys (old_hash);
CREATE TABLE audit (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  event TEXT NOT NULL,
  actor TEXT NOT NULL,
  origin TEXT NOT NULL,
  detail TEXT NOT NULL) STRICT;
CREATE INDEX audit_by_event ON audit (event, number);
)"};

// 0: an empty file.
std::int64_t version_of(SqliteConnection& connection) {
  const std::int64_t application = connection.number("PRAGMA application_id");
  const std::int64_t tables = connection.number("SELECT count(*) FROM sqlite_schema");
  if (application == 0 && tables == 0) return 0;
  if (application != application_id) {
    throw Error(ErrorCode::corrupt, "this database belongs to another program",
                {.file = connection.where()},
                "name another file; a new one is made if there is none");
  }
  return connection.number("SELECT schema FROM meta");
}

void prepare_tables(SqliteConnection& connection) {
  {
    SqliteTransaction look(connection, SqliteTransaction::Kind::read);
    const std::int64_t version = version_of(connection);
    if (version != 0) refuse_newer_schema(version, connection.where());
    look.commit();
    if (version == newest_schema) return;
  }
  // Two processes may open a new file at once: whoever comes second finds the tables.
  SqliteTransaction transaction(connection, SqliteTransaction::Kind::write);
  const std::int64_t version = version_of(connection);
  if (version == 0) connection.script("PRAGMA application_id = 0x504c5445");
  for (std::int64_t step = version; step < newest_schema; ++step) {
    connection.script(sqlite_steps.at(static_cast<std::size_t>(step)));
  }
  connection.run("UPDATE meta SET schema = ?", newest_schema);
  transaction.commit();
}

void use_wal(SqliteConnection& connection) {
  bool works = false;
  connection.each("PRAGMA journal_mode = WAL",
                  [&](const Row& row) { works = row.text(0) == "wal"; });
  if (works) return;
  throw Error(ErrorCode::io, "the store cannot be kept here: write-ahead logging does not work",
              {.file = connection.where()}, "put it on a local disk, not on a network share");
}

}  // namespace

void prepare_sqlite(SqliteConnection& connection) {
  prepare_tables(connection);
  use_wal(connection);
}

}  // namespace palate::store
