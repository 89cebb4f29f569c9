#include "rating_store/store_base.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>

#include "palate/error.hpp"
#include "rating_store/store_checks.hpp"

namespace palate::store {
namespace {

bool same_names(std::span<const Criterion> a, std::span<const Criterion> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Criterion& x, const Criterion& y) { return x.name == y.name; });
}

}  // namespace

std::int64_t signed_limit(std::size_t limit) {
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(limit, most));
}

StoreBase::StoreBase(StoreTuning tuning)
    : tuning_(tuning),
      group_([this](std::span<const StoreWrite* const> writes) { return commit(writes); }) {}

void StoreBase::set_criteria(std::span<const Criterion> criteria) {
  check_criteria(criteria);
  store_criteria(criteria);
}

std::vector<Criterion> StoreBase::known_criteria(bool fresh) {
  {
    const std::lock_guard lock(criteria_mutex_);
    if (!fresh && !criteria_.empty()) return criteria_;
  }
  std::vector<Criterion> now = criteria();
  const std::lock_guard lock(criteria_mutex_);
  criteria_ = now;
  return now;
}

// Criteria hardly ever change, so those seen last are believed until something does not fit.
void StoreBase::check(std::span<const StoreWrite> writes) {
  const std::vector<Criterion> seen = known_criteria(false);
  try {
    check_writes(writes, seen);
  } catch (const Error&) {
    const std::vector<Criterion> now = known_criteria(true);
    if (same_names(seen, now)) throw;
    check_writes(writes, now);
  }
}

WriteResult StoreBase::write(std::span<const StoreWrite> writes) {
  if (writes.empty()) return {last_sequence(), {}};
  check(writes);
  return group_.submit(writes);
}

RatingStore::Everything StoreBase::read_all() const {
  Everything out;
  std::optional<RatingsBuilder> builder;
  StoreVisitor visitor;
  visitor.begin = [&](std::span<const Criterion> criteria, const StoreCounts&,
                      std::uint64_t sequence) {
    out.sequence = sequence;
    if (criteria.empty()) return;
    std::vector<std::string> names;
    for (const Criterion& criterion : criteria) names.push_back(criterion.name);
    builder.emplace(std::move(names));
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      if (criteria[c].max > 0) builder->set_scale(c, criteria[c].min, criteria[c].max);
    }
  };
  visitor.user = [&](const StoredUser& user) {
    if (builder) builder->add_user(user.id);
  };
  visitor.item = [&](const StoredItem& item) {
    if (!builder) return;
    builder->add_item(item.id);
    if (!item.title.empty()) builder->set_title(item.id, item.title);
  };
  visitor.rating = [&](const StoredRating& rating) {
    const bool timed = rating.time != no_time;
    builder->add(rating.user, rating.item, rating.values,
                 timed ? std::optional(rating.time) : std::nullopt);
  };
  scan(visitor, Order::any);
  if (builder) out.ratings = builder->build();
  return out;
}

void StoreBase::read_each(const StoreVisitor& visitor) const { scan(visitor, Order::by_id); }

std::optional<std::vector<StoreChange>> StoreBase::changes_after(std::uint64_t sequence,
                                                                 std::size_t limit) const {
  std::call_once(users_loaded_, [this] { load_users(); });
  FoundChanges found = find_changes(sequence, limit);
  if (!found) return std::nullopt;
  return named(std::move(*found), limit, known_users_);
}

void StoreBase::replace_all(std::span<const Criterion> criteria,
                            const std::function<bool(StoreWrite&)>& next, IfNotEmpty rule) {
  if (!criteria.empty()) check_criteria(criteria);
  constexpr std::size_t most = 10'000;
  std::vector<StoreWrite> writes(most);
  std::vector<const StoreWrite*> batch;
  const auto next_batch = [&]() -> std::span<const StoreWrite* const> {
    batch.clear();
    while (batch.size() < most && next(writes[batch.size()])) {
      check_write(writes[batch.size()], criteria);
      batch.push_back(&writes[batch.size()]);
    }
    return batch;
  };
  replace(criteria, next_batch, rule);
}

std::uint64_t sequence_after_restore(std::uint64_t current) {
  // A second is worth 2^20, more changes than any store takes in one.
  const auto now = static_cast<std::uint64_t>(now_seconds()) << 20;
  return std::max(current + 1, now);
}

bool same_criteria(std::span<const Criterion> a, std::span<const Criterion> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Criterion& x, const Criterion& y) {
                      return x.name == y.name && x.min == y.min && x.max == y.max;
                    });
}

void refuse_new_criteria(std::span<const Criterion> stored, std::span<const Criterion> wanted,
                         bool has_ratings) {
  if (!has_ratings || same_names(stored, wanted)) return;
  throw Error(ErrorCode::usage, "the criteria cannot be changed once there are ratings",
              {.field = "criteria"}, "their scales can; for other criteria begin a new store");
}

void refuse_not_empty(const StoreCounts& counts, RatingStore::IfNotEmpty rule,
                      const std::string& where) {
  if (rule == RatingStore::IfNotEmpty::replace) return;
  if (counts.users + counts.items + counts.ratings == 0) return;
  throw Error(ErrorCode::usage,
              "the store is not empty: it has " + std::to_string(counts.ratings) + " ratings of " +
                  std::to_string(counts.users) + " users",
              {.file = where}, "name a new store, or say that all of it shall be replaced");
}

void refuse_newer_schema(std::int64_t version, const std::string& where) {
  if (version >= 1 && version <= newest_schema) return;
  throw Error(ErrorCode::corrupt,
              "the store has schema version " + std::to_string(version) +
                  ", and this program knows versions up to " + std::to_string(newest_schema),
              {.file = where}, "use the version of Palate that wrote it, or a newer one");
}

std::int64_t now_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_database(const std::string& where) {
  const char* const hint = "name a file, or a database as postgresql://user@host/database";
  if (where.empty()) throw Error(ErrorCode::usage, "the store has no name", {}, hint);
  if (where.starts_with("postgresql://") || where.starts_with("postgres://")) return true;
  const std::size_t scheme = where.find("://");
  if (scheme == std::string::npos) return false;
  throw Error(ErrorCode::usage, "there is no store of the kind '" + where.substr(0, scheme) + "'",
              {}, hint);
}

std::unique_ptr<RatingStore> open_store(const std::string& where, StoreTuning tuning) {
  return is_database(where) ? open_postgres(where, tuning) : open_sqlite(where, tuning);
}

}  // namespace palate::store

namespace palate {

std::unique_ptr<RatingStore> open_store(const std::string& where) {
  return store::open_store(where, {});
}

}  // namespace palate
