#include "rating_store/writer.hpp"

#include "palate/error.hpp"

namespace palate::store {

Writer::Writer(Session& db) : db_(db) {
  db.each("SELECT sequence, (SELECT count(*) FROM palate_criteria) FROM palate_meta",
          [this](const Row& row) {
            sequence_ = stored_ = row.count(0);
            criteria_ = row.count(1);
          });
}

void Writer::write_criteria(std::span<const Criterion> criteria) {
  db_.run("DELETE FROM palate_criteria");
  std::int64_t position = 0;
  for (const Criterion& criterion : criteria) {
    db_.run("INSERT INTO palate_criteria VALUES ($1, $2, $3, $4)", position++, criterion.name,
            criterion.min, criterion.max);
  }
  criteria_ = criteria.size();
}

void Writer::begin_history(std::uint64_t sequence) {
  sequence_ = sequence;
  db_.run("DELETE FROM palate_departures");
  db_.run("UPDATE palate_meta SET history_from = $1", static_cast<std::int64_t>(sequence));
}

void Writer::trim(std::size_t kept) {
  const std::int64_t last =
      db_.number("SELECT sequence FROM palate_departures ORDER BY sequence DESC LIMIT 1 OFFSET $1",
                 static_cast<std::int64_t>(kept));
  if (last == 0) return;
  db_.run("DELETE FROM palate_departures WHERE sequence <= $1", last);
  db_.run("UPDATE palate_meta SET history_from = $1 WHERE history_from < $1", last);
}

void Writer::finish(std::string_view and_then) {
  if (sequence_ == stored_) return;
  db_.script("UPDATE palate_meta SET sequence = " + std::to_string(sequence_) + ";" +
             std::string(and_then));
  stored_ = sequence_;
}

void Writer::check_criteria(const StoredRating& rating) const {
  if (rating.values.size() == criteria_) return;
  throw Error(ErrorCode::bad_input, "the criteria of the store were changed meanwhile");
}

}  // namespace palate::store
