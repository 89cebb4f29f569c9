#include "rating_store/postgres/writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "rating_store/postgres/text.hpp"

namespace palate::store {
namespace {

bool same_value(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Whether a write that follows another to the same thing finds it as it would leave it.
struct Repeats {
  const StoreWrite& before;

  bool operator()(const StoredRating& now) const {
    const auto& then = std::get<StoredRating>(before);
    return now.time == then.time && std::equal(now.values.begin(), now.values.end(),
                                               then.values.begin(), then.values.end(), same_value);
  }
  bool operator()(const StoredUser& now) const {
    return now.attributes == std::get<StoredUser>(before).attributes;
  }
  bool operator()(const StoredItem& now) const {
    const auto& then = std::get<StoredItem>(before);
    return now.title == then.title && now.attributes == then.attributes;
  }
  // It is gone already.
  bool operator()(const RatingKey&) const { return true; }
  bool operator()(const DeleteUser&) const { return true; }
  bool operator()(const DeleteItem&) const { return true; }
};

struct NameOf {
  using Name = std::pair<std::string_view, std::string_view>;
  Name operator()(const StoredRating& rating) const { return {rating.user, rating.item}; }
  Name operator()(const RatingKey& key) const { return {key.user, key.item}; }
  template <class WithId>
  Name operator()(const WithId& one) const {
    return {one.id, {}};
  }
};

// One statement must not meet a row twice. So a run of one kind is written in two rounds: each
// thing as it is met first, then what is met again as it is met last. What a repeated write does is
// known from the one before it.
struct Rounds {
  std::vector<std::size_t> first, last;

  Rounds(std::span<const StoreWrite* const> batch, std::span<WriteEffect> effects) {
    struct Met {
      std::size_t last = 0;
      bool changed = false;
    };
    std::map<NameOf::Name, Met> met;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const auto [place, is_new] = met.try_emplace(std::visit(NameOf{}, *batch[k]), Met{k});
      if (is_new) {
        first.push_back(k);
        continue;
      }
      Met& mine = place->second;
      if (!std::visit(Repeats{*batch[mine.last]}, *batch[k])) {
        effects[k] = WriteEffect::changed;
        mine.changed = true;
      }
      mine.last = k;
    }
    for (const auto& [name, mine] : met) {
      if (mine.changed) last.push_back(mine.last);
    }
    std::sort(last.begin(), last.end());
  }
};

// One text of each write.
template <class Write>
std::string array_of(std::span<const StoreWrite* const> batch, std::span<const std::size_t> places,
                     std::string Write::*field) {
  PostgresArray out;
  for (const std::size_t place : places) out.add(std::get<Write>(*batch[place]).*field);
  return out.take();
}

}  // namespace

std::vector<WriteEffect> PostgresWriter::apply(std::span<const StoreWrite* const> writes) {
  using Member = void (PostgresWriter::*)(Batch, Places, Effects);
  constexpr std::array<Member, std::variant_size_v<StoreWrite>> members = {
      &PostgresWriter::put_ratings, &PostgresWriter::delete_ratings, &PostgresWriter::put_users,
      &PostgresWriter::put_items,   &PostgresWriter::delete_users,   &PostgresWriter::delete_items};
  std::vector<WriteEffect> effects(writes.size(), WriteEffect::none);
  for (std::size_t begin = 0; begin < writes.size();) {
    std::size_t end = begin + 1;
    while (end < writes.size() && writes[end]->index() == writes[begin]->index()) ++end;
    const Batch batch = writes.subspan(begin, end - begin);
    const Effects mine = Effects(effects).subspan(begin, end - begin);
    const Rounds rounds(batch, mine);
    const Member member = members.at(writes[begin]->index());
    (this->*member)(batch, rounds.first, mine);
    if (!rounds.last.empty()) {
      std::vector<WriteEffect> known(batch.size());
      (this->*member)(batch, rounds.last, known);
    }
    begin = end;
  }
  return effects;
}

void PostgresWriter::write_criteria(std::span<const Criterion> criteria) {
  Writer::write_criteria(criteria);
  db_.rows("UPDATE palate_meta SET criteria = $1", criteria.size());
}

void PostgresWriter::note_users(const pqxx::result& rows) {
  for (const pqxx::row& row : rows) {
    users_.emplace_back(row[0].as<std::int64_t>(), row[1].as<std::string>());
  }
}

void PostgresWriter::count_put(const pqxx::result& rows, Places places, Effects effects) {
  for (const pqxx::row& row : rows) {
    effects[places[row[0].as<std::size_t>() - 1]] =
        row[1].as<bool>() ? WriteEffect::created : WriteEffect::changed;
  }
  sequence_ += static_cast<std::uint64_t>(rows.size());
}

void PostgresWriter::add_missing_users_and_items(const std::string& users,
                                                 const std::string& items) {
  const pqxx::result new_users = db_.rows(
      "INSERT INTO palate_users (id, attributes, sequence) "
      "SELECT id, '{}', $2::bigint + row_number() OVER (ORDER BY n) FROM "
      "(SELECT id, min(n) AS n FROM unnest($1::text[]) WITH ORDINALITY AS x (id, n) GROUP BY id) t "
      "WHERE (SELECT true FROM palate_users u WHERE u.id = t.id) IS NOT TRUE RETURNING key, id",
      users, sequence_);
  sequence_ += new_users.affected_rows();
  note_users(new_users);
  sequence_ +=
      db_.rows(
             "INSERT INTO palate_items (id, title, attributes, sequence) "
             "SELECT id, '', '{}', $2::bigint + row_number() OVER (ORDER BY n) FROM "
             "(SELECT id, min(n) AS n FROM unnest($1::text[]) WITH ORDINALITY AS x (id, n) "
             "GROUP BY id) t "
             "WHERE (SELECT true FROM palate_items i WHERE i.id = t.id) IS NOT TRUE",
             items, sequence_)
          .affected_rows();
}

// In each of the three statements that put something, `same` says what was there before it: null
// for nothing. It is asked once, and nobody else writes meanwhile.
void PostgresWriter::put_ratings(Batch batch, Places places, Effects effects) {
  PostgresArray value_lists, times;
  for (const std::size_t place : places) {
    const auto& rating = std::get<StoredRating>(*batch[place]);
    check_criteria(rating);
    value_lists.add(real_array(rating.values));
    rating.time == no_time ? times.add_null() : times.add(rating.time);
  }
  const std::string users = array_of(batch, places, &StoredRating::user);
  const std::string items = array_of(batch, places, &StoredRating::item);
  add_missing_users_and_items(users, items);
  count_put(
      db_.rows(
          "WITH given AS MATERIALIZED (SELECT "
          "(SELECT key FROM palate_users WHERE id = a) AS u, "
          "(SELECT key FROM palate_items WHERE id = b) AS i, c::real[] AS v, d AS t, n "
          "FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) "
          "WITH ORDINALITY AS x (a, b, c, d, n)), "
          "compared AS MATERIALIZED (SELECT u, i, v, t, n, "
          "(SELECT r.value_list IS NOT DISTINCT FROM v AND r.time IS NOT DISTINCT FROM t "
          "FROM palate_ratings r WHERE r.user_key = u AND r.item_key = i) AS same FROM given), "
          "put AS (INSERT INTO palate_ratings "
          "SELECT u, i, v, t, $5::bigint + row_number() OVER (ORDER BY n) FROM compared "
          "WHERE same IS NOT TRUE "
          "ON CONFLICT (user_key, item_key) DO UPDATE SET value_list = excluded.value_list, "
          "time = excluded.time, sequence = excluded.sequence) "
          "SELECT n, same IS NULL FROM compared WHERE same IS NOT TRUE",
          users, items, value_lists.take(), times.take(), sequence_),
      places, effects);
}

void PostgresWriter::put_users(Batch batch, Places places, Effects effects) {
  const std::string ids = array_of(batch, places, &StoredUser::id);
  count_put(
      db_.rows("WITH compared AS MATERIALIZED (SELECT id, attributes, n, "
               "(SELECT u.attributes = x.attributes FROM palate_users u WHERE u.id = x.id) AS same "
               "FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS x (id, attributes, n)), "
               "put AS (INSERT INTO palate_users (id, attributes, sequence) "
               "SELECT id, attributes, $3::bigint + row_number() OVER (ORDER BY n) FROM compared "
               "WHERE same IS NOT TRUE "
               "ON CONFLICT (id) DO UPDATE SET attributes = excluded.attributes, "
               "sequence = excluded.sequence) "
               "SELECT n, same IS NULL FROM compared WHERE same IS NOT TRUE",
               ids, array_of(batch, places, &StoredUser::attributes), sequence_),
      places, effects);
  note_users(db_.rows("SELECT key, id FROM palate_users WHERE id = ANY ($1::text[])", ids));
}

void PostgresWriter::put_items(Batch batch, Places places, Effects effects) {
  count_put(
      db_.rows(
          "WITH compared AS MATERIALIZED (SELECT id, title, attributes, n, "
          "(SELECT i.title = x.title AND i.attributes = x.attributes FROM palate_items i "
          "WHERE i.id = x.id) AS same FROM unnest($1::text[], $2::text[], $3::text[]) "
          "WITH ORDINALITY AS x (id, title, attributes, n)), "
          "put AS (INSERT INTO palate_items (id, title, attributes, sequence) "
          "SELECT id, title, attributes, $4::bigint + row_number() OVER (ORDER BY n) FROM compared "
          "WHERE same IS NOT TRUE "
          "ON CONFLICT (id) DO UPDATE SET title = excluded.title, "
          "attributes = excluded.attributes, sequence = excluded.sequence) "
          "SELECT n, same IS NULL FROM compared WHERE same IS NOT TRUE",
          array_of(batch, places, &StoredItem::id), array_of(batch, places, &StoredItem::title),
          array_of(batch, places, &StoredItem::attributes), sequence_),
      places, effects);
}

void PostgresWriter::delete_ratings(Batch batch, Places places, Effects effects) {
  const pqxx::result gone = db_.rows(
      "WITH gone AS (DELETE FROM palate_ratings r "
      "USING unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (a, b, n), "
      "palate_users u, palate_items i "
      "WHERE u.id = t.a AND i.id = t.b AND r.user_key = u.key AND r.item_key = i.key "
      "RETURNING r.user_key, r.item_key, t.n), "
      "noted AS (INSERT INTO palate_departures "
      "SELECT $3::bigint + row_number() OVER (ORDER BY n), user_key, item_key, NULL FROM gone) "
      "SELECT n FROM gone",
      array_of(batch, places, &RatingKey::user), array_of(batch, places, &RatingKey::item),
      sequence_);
  for (const pqxx::row& row : gone) {
    effects[places[row[0].as<std::size_t>() - 1]] = WriteEffect::deleted;
  }
  count_departures(gone);
}

void PostgresWriter::delete_users(Batch batch, Places places, Effects effects) {
  constexpr Departure users = {
      "DELETE FROM palate_users WHERE id = ANY ($1::text[]) RETURNING key, id",
      "DELETE FROM palate_departures WHERE user_key = ANY ($1::bigint[])",
      "INSERT INTO palate_departures SELECT $3::bigint + n, key, NULL, NULL "
      "FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS t (key, id, n)"};
  note_users(depart(users, batch, places, effects));
}

void PostgresWriter::delete_items(Batch batch, Places places, Effects effects) {
  constexpr Departure items = {
      "DELETE FROM palate_items WHERE id = ANY ($1::text[]) RETURNING key, id",
      "DELETE FROM palate_departures WHERE item_key = ANY ($1::bigint[])",
      "INSERT INTO palate_departures SELECT $3::bigint + n, NULL, key, id "
      "FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS t (key, id, n)"};
  depart(items, batch, places, effects);
}

pqxx::result PostgresWriter::depart(const Departure& sql, Batch batch, Places places,
                                    Effects effects) {
  std::map<std::string_view, std::size_t> place_of;
  PostgresArray wanted;
  for (const std::size_t place : places) {
    const std::string_view id = std::visit(NameOf{}, *batch[place]).first;
    place_of.emplace(id, place);
    wanted.add(id);
  }
  const pqxx::result gone = db_.rows(sql.remove, wanted.take());
  if (gone.empty()) return gone;
  PostgresArray key_list, ids;
  for (const pqxx::row& row : gone) {
    const auto id = row[1].as<std::string>();
    key_list.add(row[0].as<std::int64_t>());
    ids.add(id);
    effects[place_of.at(id)] = WriteEffect::deleted;
  }
  const std::string keys = key_list.take();
  db_.rows(sql.forget, keys);
  db_.rows(sql.note, keys, ids.take(), sequence_);
  count_departures(gone);
  return gone;
}

void PostgresWriter::count_departures(const pqxx::result& gone) {
  sequence_ += static_cast<std::uint64_t>(gone.size());
  departures_ += static_cast<std::size_t>(gone.size());
}

}  // namespace palate::store
