#include "rating_store/changes.hpp"

#include <algorithm>

namespace palate::store {

using Kind = StoreChange::Kind;

void KnownUsers::add(std::int64_t key, std::string_view id) {
  const std::lock_guard lock(mutex_);
  names_.try_emplace(key, id);
}

std::optional<std::string> KnownUsers::find(std::int64_t key) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(key);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

FoundChange changed_rating(std::uint64_t sequence, std::int64_t user_key, StoredRating rating) {
  return {{sequence, Kind::rating, rating.user, rating.item, std::move(rating)}, user_key};
}

FoundChange changed_user(std::uint64_t sequence, std::int64_t key, std::string_view id) {
  return {{.sequence = sequence, .kind = Kind::user, .user = std::string(id)}, key};
}

FoundChange changed_item(std::uint64_t sequence, std::string_view id) {
  return {{.sequence = sequence, .kind = Kind::item, .item = std::string(id)}};
}

FoundChange departed(const DepartureRow& row) {
  FoundChange found{{.sequence = row.sequence}, row.user_key.value_or(0)};
  StoreChange& change = found.change;
  if (!row.has_item) {
    change.kind = Kind::user_deleted;
  } else if (!row.user_key) {
    change.kind = Kind::item_deleted;
    change.item = row.gone_item;
  } else {
    change.kind = Kind::rating;
    change.user = row.user;
    change.item = row.item;
  }
  return found;
}

std::optional<std::vector<StoreChange>> named(std::vector<FoundChange> found, std::size_t limit,
                                              KnownUsers& known) {
  std::sort(found.begin(), found.end(), [](const FoundChange& a, const FoundChange& b) {
    return a.change.sequence < b.change.sequence;
  });
  if (found.size() > limit) found.resize(limit);
  std::vector<StoreChange> out;
  out.reserve(found.size());
  for (FoundChange& one : found) {
    if (one.change.kind == Kind::user_deleted) {
      auto id = known.find(one.user_key);
      if (!id) return std::nullopt;
      one.change.user = std::move(*id);
    } else if (!one.change.user.empty()) {
      known.add(one.user_key, one.change.user);
    }
    out.push_back(std::move(one.change));
  }
  return out;
}

}  // namespace palate::store
