// The tables, and how older ones become newer.
#include <array>

#include "rating_store/postgres/connection.hpp"

namespace palate::store {
namespace {

// As in sqlite/schema.cpp, where the idea is explained. Names begin with palate_, so that the
// tables may stand beside a product's own. Ids compare by bytes, whatever the language of the
// database.
constexpr std::array<const char*, newest_schema> postgres_steps = {R"(
CREATE TABLE palate_meta (
  one boolean PRIMARY KEY CHECK (one),
  schema bigint NOT NULL,
  sequence bigint NOT NULL,
  history_from bigint NOT NULL,
  criteria bigint NOT NULL);
INSERT INTO palate_meta VALUES (true, 1, 0, 0, 0);
CREATE TABLE palate_criteria (
  position bigint PRIMARY KEY,
  name text NOT NULL UNIQUE,
  min real NOT NULL,
  max real NOT NULL);
CREATE TABLE palate_users (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  attributes text NOT NULL,
  sequence bigint NOT NULL UNIQUE);
CREATE TABLE palate_items (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  title text NOT NULL,
  attributes text NOT NULL,
  sequence bigint NOT NULL UNIQUE);
-- value_list: one per criterion, null where it was not rated.
CREATE TABLE palate_ratings (
  user_key bigint NOT NULL REFERENCES palate_users (key) ON DELETE CASCADE,
  item_key bigint NOT NULL REFERENCES palate_items (key) ON DELETE CASCADE,
  value_list real[] NOT NULL,
  time bigint,
  sequence bigint NOT NULL UNIQUE,
  PRIMARY KEY (user_key, item_key));
CREATE INDEX palate_ratings_by_item ON palate_ratings (item_key);
-- A rating has user and item, a user only user, an item item and item_id.
CREATE TABLE palate_departures (
  sequence bigint PRIMARY KEY,
  user_key bigint,
  item_key bigint,
  item_id text);
CREATE INDEX palate_departures_by_user ON palate_departures (user_key);
CREATE INDEX palate_departures_by_item ON palate_departures (item_key);
CREATE TABLE palate_api_keys (
  name text COLLATE "C" PRIMARY KEY,
  hash bytea NOT NULL UNIQUE,
  role text NOT NULL,
  created bigint NOT NULL);
)",
                                                                   // Which store this is.
                                                                   R"(
ALTER TABLE palate_meta ADD COLUMN identity text NOT NULL DEFAULT '';
UPDATE palate_meta SET identity = replace(gen_random_uuid()::text, '-', '');
)",
                                                                   // Keys that end, are renewed,
                                                                   // are limited; who did what.
                                                                   R"(
ALTER TABLE palate_api_keys
  ADD COLUMN expires bigint,
  ADD COLUMN rate double precision,
  ADD COLUMN old_hash bytea UNIQUE,
  ADD COLUMN old_until bigint;
CREATE TABLE palate_audit (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  actor text NOT NULL,
  origin text NOT NULL,
  detail text NOT NULL);
CREATE INDEX palate_audit_by_event ON palate_audit (event, number);
)"};

// 0: no tables yet.
std::int64_t version_of(pqxx::transaction_base& transaction) {
  if (transaction.exec("SELECT to_regclass('palate_meta')")[0][0].is_null()) return 0;
  return transaction.exec("SELECT schema FROM palate_meta")[0][0].as<std::int64_t>();
}

}  // namespace

void prepare_postgres(PostgresConnection& connection, const PostgresAddress& address) {
  {
    pqxx::nontransaction look(connection.get());
    const std::string encoding = look.exec("SHOW server_encoding")[0][0].c_str();
    if (encoding != "UTF8") {
      throw Error(ErrorCode::unsupported, "the database has the encoding " + encoding,
                  {.file = address.shown()}, "make one with: createdb --encoding=UTF8 NAME");
    }
    const std::int64_t version = version_of(look);
    if (version != 0) refuse_newer_schema(version, address.shown());
    if (version == newest_schema) return;
  }
  pqxx::work transaction(connection.get());
  // Two programs may come to an empty database at once: whoever is second finds the tables.
  transaction.exec("SELECT pg_advisory_xact_lock(5787202365210648645)");
  const std::int64_t version = version_of(transaction);
  for (std::int64_t step = version; step < newest_schema; ++step) {
    transaction.exec(postgres_steps.at(static_cast<std::size_t>(step)));
  }
  transaction.exec("UPDATE palate_meta SET schema = " + std::to_string(newest_schema));
  // Servers that run learn of it at once.
  if (version != 0) transaction.exec("NOTIFY palate_changes");
  transaction.commit();
}

}  // namespace palate::store
