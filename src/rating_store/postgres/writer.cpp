#include "rating_store/postgres/writer.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "rating_store/postgres/text.hpp"

namespace palate::store {
namespace {

template <class T>
const T& as(const StoreWrite* write) {
  return std::get<T>(*write);
}

// One statement must not meet a row twice: of writes to the same thing the last one counts.
template <class Key>
std::vector<const StoreWrite*> last_of_each(std::span<const StoreWrite* const> run,
                                            const Key& key) {
  std::map<decltype(key(run.front())), std::size_t> last;
  for (std::size_t k = 0; k < run.size(); ++k) last.insert_or_assign(key(run[k]), k);
  std::vector<const StoreWrite*> out;
  for (std::size_t k = 0; k < run.size(); ++k) {
    if (last.at(key(run[k])) == k) out.push_back(run[k]);
  }
  return out;
}

}  // namespace

PostgresWriter::PostgresWriter(PostgresConnection& connection, pqxx::work& transaction)
    : connection_(connection), transaction_(transaction) {
  // A batch is looked up row by row through indexes. Left to itself the planner goes by what it
  // knows of the tables; at a first import it still believed them empty, and took ten times as
  // long. For the same reason batches are looked up by subqueries and not by joins.
  transaction_.exec(
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; "
      "SET LOCAL enable_mergejoin = off");
  const pqxx::row meta =
      run("SELECT sequence, criteria, txid_current() FROM palate_meta FOR UPDATE").at(0);
  sequence_ = stored_ = meta[0].as<std::uint64_t>();
  criteria_ = meta[1].as<std::size_t>();
  transaction_id_ = meta[2].as<std::int64_t>();
}

void PostgresWriter::apply(std::span<const StoreWrite* const> writes) {
  using Member = void (PostgresWriter::*)(Run);
  constexpr std::array<Member, std::variant_size_v<StoreWrite>> members = {
      &PostgresWriter::put_ratings, &PostgresWriter::delete_ratings, &PostgresWriter::put_users,
      &PostgresWriter::put_items,   &PostgresWriter::delete_users,   &PostgresWriter::delete_items};
  for (std::size_t begin = 0; begin < writes.size();) {
    std::size_t end = begin + 1;
    while (end < writes.size() && writes[end]->index() == writes[begin]->index()) ++end;
    (this->*members.at(writes[begin]->index()))(writes.subspan(begin, end - begin));
    begin = end;
  }
}

void PostgresWriter::finish() {
  if (sequence_ == stored_) return;
  transaction_.exec("UPDATE palate_meta SET sequence = " + std::to_string(sequence_) +
                    "; NOTIFY palate_changes");
  stored_ = sequence_;
}

void PostgresWriter::begin_history(std::uint64_t sequence) {
  sequence_ = sequence;
  transaction_.exec("DELETE FROM palate_departures; UPDATE palate_meta SET history_from = " +
                    std::to_string(sequence));
}

void PostgresWriter::write_criteria(std::span<const Criterion> criteria) {
  run("DELETE FROM palate_criteria");
  for (std::size_t c = 0; c < criteria.size(); ++c) {
    run("INSERT INTO palate_criteria VALUES ($1, $2, $3, $4)", c, criteria[c].name, criteria[c].min,
        criteria[c].max);
  }
  run("UPDATE palate_meta SET criteria = $1", criteria.size());
  criteria_ = criteria.size();
}

void PostgresWriter::trim(std::size_t kept) {
  const pqxx::result last =
      run("SELECT sequence FROM palate_departures ORDER BY sequence DESC LIMIT 1 OFFSET $1", kept);
  if (last.empty()) return;
  const auto sequence = last[0][0].as<std::int64_t>();
  run("DELETE FROM palate_departures WHERE sequence <= $1", sequence);
  run("UPDATE palate_meta SET history_from = greatest(history_from, $1)", sequence);
}

void PostgresWriter::note_users(const pqxx::result& rows) {
  for (const pqxx::row& row : rows) {
    users_.emplace_back(row[0].as<std::int64_t>(), row[1].as<std::string>());
  }
}

void PostgresWriter::put_ratings(Run all) {
  const auto kept = last_of_each(all, [](const StoreWrite* write) {
    const auto& rating = as<StoredRating>(write);
    return std::pair<std::string_view, std::string_view>(rating.user, rating.item);
  });
  PostgresArray user_list, item_list, value_lists, times;
  for (const StoreWrite* write : kept) {
    const auto& rating = as<StoredRating>(write);
    if (rating.values.size() != criteria_) {
      throw Error(ErrorCode::bad_input, "the criteria of the store were changed meanwhile");
    }
    user_list.add(rating.user);
    item_list.add(rating.item);
    value_lists.add(real_array(rating.values));
    rating.time == no_time ? times.add_null() : times.add(rating.time);
  }
  const std::string users = user_list.take();
  const std::string items = item_list.take();
  const pqxx::result new_users = run(
      "INSERT INTO palate_users (id, attributes, sequence) "
      "SELECT id, '{}', $2::bigint + row_number() OVER (ORDER BY n) FROM "
      "(SELECT id, min(n) AS n FROM unnest($1::text[]) WITH ORDINALITY AS x (id, n) GROUP BY id) t "
      "WHERE (SELECT true FROM palate_users u WHERE u.id = t.id) IS NOT TRUE RETURNING key, id",
      users, sequence_);
  count(new_users);
  note_users(new_users);
  const pqxx::result new_items = run(
      "INSERT INTO palate_items (id, title, attributes, sequence) "
      "SELECT id, '', '{}', $2::bigint + row_number() OVER (ORDER BY n) FROM "
      "(SELECT id, min(n) AS n FROM unnest($1::text[]) WITH ORDINALITY AS x (id, n) GROUP BY id) t "
      "WHERE (SELECT true FROM palate_items i WHERE i.id = t.id) IS NOT TRUE",
      items, sequence_);
  count(new_items);
  const pqxx::result changed =
      run("WITH given AS MATERIALIZED (SELECT "
          "(SELECT key FROM palate_users WHERE id = a) AS u, "
          "(SELECT key FROM palate_items WHERE id = b) AS i, c::real[] AS v, d AS t, n "
          "FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) "
          "WITH ORDINALITY AS x (a, b, c, d, n)) "
          "INSERT INTO palate_ratings "
          "SELECT u, i, v, t, $5::bigint + row_number() OVER (ORDER BY n) FROM given WHERE "
          "(SELECT r.value_list IS NOT DISTINCT FROM v AND r.time IS NOT DISTINCT FROM t "
          "FROM palate_ratings r WHERE r.user_key = u AND r.item_key = i) IS NOT TRUE "
          "ON CONFLICT (user_key, item_key) DO UPDATE SET value_list = excluded.value_list, "
          "time = excluded.time, sequence = excluded.sequence",
          users, items, value_lists.take(), times.take(), sequence_);
  count(changed);
}

void PostgresWriter::put_users(Run all) {
  const auto kept = last_of_each(
      all, [](const StoreWrite* write) -> std::string_view { return as<StoredUser>(write).id; });
  PostgresArray ids, attributes;
  for (const StoreWrite* write : kept) {
    ids.add(as<StoredUser>(write).id);
    attributes.add(as<StoredUser>(write).attributes);
  }
  const pqxx::result changed =
      run("INSERT INTO palate_users (id, attributes, sequence) "
          "SELECT t.id, t.attributes, $3::bigint + row_number() OVER (ORDER BY t.n) "
          "FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (id, attributes, n) "
          "WHERE (SELECT u.attributes = t.attributes FROM palate_users u WHERE u.id = t.id) "
          "IS NOT TRUE "
          "ON CONFLICT (id) DO UPDATE SET attributes = excluded.attributes, "
          "sequence = excluded.sequence RETURNING key, id",
          ids.take(), attributes.take(), sequence_);
  count(changed);
  note_users(changed);
}

void PostgresWriter::put_items(Run all) {
  const auto kept = last_of_each(
      all, [](const StoreWrite* write) -> std::string_view { return as<StoredItem>(write).id; });
  PostgresArray ids, titles, attributes;
  for (const StoreWrite* write : kept) {
    ids.add(as<StoredItem>(write).id);
    titles.add(as<StoredItem>(write).title);
    attributes.add(as<StoredItem>(write).attributes);
  }
  const pqxx::result changed =
      run("INSERT INTO palate_items (id, title, attributes, sequence) "
          "SELECT t.id, t.title, t.attributes, $4::bigint + row_number() OVER (ORDER BY t.n) "
          "FROM unnest($1::text[], $2::text[], $3::text[]) "
          "WITH ORDINALITY AS t (id, title, attributes, n) "
          "WHERE (SELECT i.title = t.title AND i.attributes = t.attributes "
          "FROM palate_items i WHERE i.id = t.id) IS NOT TRUE "
          "ON CONFLICT (id) DO UPDATE SET title = excluded.title, "
          "attributes = excluded.attributes, sequence = excluded.sequence",
          ids.take(), titles.take(), attributes.take(), sequence_);
  count(changed);
}

void PostgresWriter::delete_ratings(Run all) {
  PostgresArray users, items;
  for (const StoreWrite* write : all) {
    users.add(as<RatingKey>(write).user);
    items.add(as<RatingKey>(write).item);
  }
  const pqxx::result gone =
      run("WITH gone AS (DELETE FROM palate_ratings r "
          "USING unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (a, b, n), "
          "palate_users u, palate_items i "
          "WHERE u.id = t.a AND i.id = t.b AND r.user_key = u.key AND r.item_key = i.key "
          "RETURNING r.user_key, r.item_key, t.n) "
          "INSERT INTO palate_departures "
          "SELECT $3::bigint + row_number() OVER (ORDER BY n), user_key, item_key, NULL FROM gone",
          users.take(), items.take(), sequence_);
  count(gone);
  departures_ += gone.affected_rows();
}

void PostgresWriter::delete_users(Run all) {
  PostgresArray ids;
  for (const StoreWrite* write : all) ids.add(as<DeleteUser>(write).id);
  const pqxx::result gone =
      run("DELETE FROM palate_users WHERE id = ANY ($1::text[]) RETURNING key, id", ids.take());
  if (gone.empty()) return;
  note_users(gone);
  PostgresArray key_list;
  for (const pqxx::row& row : gone) key_list.add(row[0].as<std::int64_t>());
  const std::string keys = key_list.take();
  run("DELETE FROM palate_departures WHERE user_key = ANY ($1::bigint[])", keys);
  count(
      run("INSERT INTO palate_departures SELECT $2::bigint + n, key, NULL, NULL "
          "FROM unnest($1::bigint[]) WITH ORDINALITY AS t (key, n)",
          keys, sequence_));
  departures_ += gone.size();
}

void PostgresWriter::delete_items(Run all) {
  PostgresArray id_list;
  for (const StoreWrite* write : all) id_list.add(as<DeleteItem>(write).id);
  const pqxx::result gone =
      run("DELETE FROM palate_items WHERE id = ANY ($1::text[]) RETURNING key, id", id_list.take());
  if (gone.empty()) return;
  PostgresArray key_list, ids;
  for (const pqxx::row& row : gone) {
    key_list.add(row[0].as<std::int64_t>());
    ids.add(row[1].as<std::string>());
  }
  const std::string keys = key_list.take();
  run("DELETE FROM palate_departures WHERE item_key = ANY ($1::bigint[])", keys);
  count(
      run("INSERT INTO palate_departures SELECT $3::bigint + n, NULL, key, id "
          "FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS t (key, id, n)",
          keys, ids.take(), sequence_));
  departures_ += gone.size();
}

}  // namespace palate::store
