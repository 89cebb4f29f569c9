#include "live/writer.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "live/base.hpp"
#include "palate/error.hpp"

namespace palate::live {
namespace {

void check_id(std::string_view id, const char* what) {
  if (id.empty())
    throw Error(ErrorCode::bad_input, std::string("the id of the ") + what + " is empty");
}

void check(const RatingChange& change, const State& state) {
  check_id(change.user, "user");
  check_id(change.item, "item");
  if (change.values.empty()) return;
  const std::string rating = "the rating of '" + change.item + "' by '" + change.user + "'";
  if (change.values.size() != state.criteria.size()) {
    throw Error(ErrorCode::bad_input,
                rating + " has " + std::to_string(change.values.size()) + " values", {},
                "one per criterion is needed, that is " + std::to_string(state.criteria.size()));
  }
  bool any = false;
  for (std::size_t c = 0; c < change.values.size(); ++c) {
    const float value = change.values[c];
    if (std::isnan(value)) continue;
    any = true;
    if (!std::isfinite(value) || value < 0) {
      throw Error(ErrorCode::bad_input, rating + " must be a finite number that is not negative",
                  {.field = state.criteria[c].name});
    }
  }
  if (!any) throw Error(ErrorCode::bad_input, rating + " has no value for any criterion");
}

using Values = std::map<std::uint32_t, const std::vector<float>*>;  // by item; none: taken back

// Someone's ratings with some of them changed.
std::shared_ptr<const OwnedRatings> changed_row(const UserRatings& old, const Values& changes,
                                                std::size_t width) {
  auto out = std::make_shared<OwnedRatings>();
  const auto keep = [&](std::size_t k) {
    out->items.push_back(old.items[k]);
    out->present.push_back(old.present[k]);
    const auto from = old.values.begin() + static_cast<std::ptrdiff_t>(k * width);
    out->values.insert(out->values.end(), from, from + static_cast<std::ptrdiff_t>(width));
  };
  std::size_t k = 0;
  for (const auto& [item, values] : changes) {
    for (; k < old.size() && old.items[k] < item; ++k) keep(k);
    if (k < old.size() && old.items[k] == item) ++k;
    if (values == nullptr || values->empty()) continue;
    std::uint32_t present = 0;
    for (std::size_t c = 0; c < width; ++c) {
      const float value = (*values)[c];
      if (!std::isnan(value)) present |= 1U << c;
      out->values.push_back(std::isnan(value) ? 0.0F : value);
    }
    out->items.push_back(item);
    out->present.push_back(present);
  }
  for (; k < old.size(); ++k) keep(k);
  return out;
}

bool equal(const UserRatings& a, const UserRatings& b) {
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end()) &&
         std::equal(a.present.begin(), a.present.end(), b.present.begin(), b.present.end()) &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end());
}

}  // namespace

// What is half done when an exception comes is thrown away; the sums are then made anew.
class Writer::Step {
 public:
  explicit Step(Writer& writer) : writer_(writer), next_(*writer.state_) {
    ++next_.version;
    if (writer_.torn_) writer_.ledger_.emplace(next_);
    writer_.torn_ = true;
  }
  [[nodiscard]] State& next() noexcept { return next_; }

  std::uint32_t user(std::string_view id) {
    if (const auto known = next_.user_index(id)) {
      if (!next_.users[*known].known) {
        User& back = next_.users.edit(*known, next_.version);
        back.known = true;
        back.changed = next_.version;
        ++next_.user_count;
      }
      return *known;
    }
    next_.added_users.add(id, next_.version);
    next_.users.push_back({{}, nullptr, true, next_.version}, next_.version);
    ++next_.user_count;
    return static_cast<std::uint32_t>(next_.users.size() - 1);
  }
  std::uint32_t item(std::string_view id) {
    const auto index = next_.item_index(id);
    if (index && (*next_.known_items)[*index] != 0) return *index;
    ++next_.item_count;
    auto known = std::make_shared<std::vector<std::uint8_t>>(*next_.known_items);
    const auto item = index.value_or(static_cast<std::uint32_t>(known->size()));
    if (!index) {
      next_.added_items.add(id, next_.version);
      known->push_back(0);
      next_.titles.push_back(nullptr, next_.version);
    }
    (*known)[item] = 1;
    next_.known_items = std::move(known);
    if (!index) writer_.ledger_->grow(next_);
    return item;
  }
  void change(const std::map<std::uint32_t, Values>& by_user) {
    for (const auto& [user, values] : by_user) {
      const User old = next_.users[user];
      auto row = changed_row(old.ratings, values, next_.base->criteria());
      if (equal(old.ratings, row->view())) continue;
      writer_.ledger_->change(next_, user, std::move(row), waiting_.items);
      waiting_.before.emplace(user, old);
    }
    writer_.ledger_->publish(next_, waiting_.items);
  }
  void commit() {
    const Foundation foundation = next_.base->foundation;
    waiting_.since = std::chrono::steady_clock::now();
    if (foundation != Foundation::counts && !waiting_.items.empty()) {
      if (next_.behind == 0) next_.behind_since = waiting_.since;
      next_.behind += waiting_.items.size();
    }
    if (next_.behind == 0) next_.graph_version = next_.version;
    if (next_.links) next_.links = covering(next_.links, *next_.base, next_.items());
    auto made = std::make_shared<const State>(std::move(next_));
    if (foundation == Foundation::links) wait();
    writer_.state_ = std::move(made);
    writer_.torn_ = false;
  }

 private:
  void wait() {
    Waiting& all = writer_.waiting_;
    if (all.before.empty()) all.since = waiting_.since;
    // Who waits already is counted as they were then.
    all.before.merge(waiting_.before);
    all.items.insert(all.items.end(), waiting_.items.begin(), waiting_.items.end());
  }

  Writer& writer_;
  State next_;
  Waiting waiting_;  // of this step
};

Writer::Writer(State first) {
  ledger_.emplace(first);
  state_ = std::make_shared<const State>(std::move(first));
}

Waiting Writer::take_waiting() {
  Waiting out;
  std::swap(out, waiting_);
  following_ = true;
  return out;
}

void Writer::put_back(Waiting taken) {
  taken.before.merge(waiting_.before);
  taken.items.insert(taken.items.end(), waiting_.items.begin(), waiting_.items.end());
  waiting_ = std::move(taken);
  following_ = false;
}

void Writer::give(std::shared_ptr<const Links> links, std::uint64_t version) {
  auto next = std::make_shared<State>(*state_);
  next->links = covering(std::move(links), *next->base, next->items());
  next->graph_version = waiting_.before.empty() ? next->version : version;
  next->behind = waiting_.items.size();
  next->behind_since = waiting_.since;
  state_ = std::move(next);
  following_ = false;
}

void Writer::apply(std::span<const RatingChange> changes) {
  for (const RatingChange& change : changes) check(change, *state_);
  Step step(*this);
  State& next = step.next();
  std::map<std::uint32_t, Values> by_user;
  for (const RatingChange& change : changes) {
    if (change.values.empty()) {
      const auto user = next.find_user(change.user);
      const auto item = next.find_item(change.item);
      if (user && item) by_user[*user][*item] = nullptr;
      continue;
    }
    const std::uint32_t item = step.item(change.item);
    by_user[step.user(change.user)][item] = &change.values;
    for (std::size_t c = 0; c < change.values.size(); ++c) {
      const float value = change.values[c];
      if (std::isnan(value)) continue;
      Criterion& criterion = next.criteria[c];
      const bool unused = criterion.min == 0 && criterion.max == 0;
      criterion.min = unused ? value : std::min(criterion.min, value);
      criterion.max = unused ? value : std::max(criterion.max, value);
    }
  }
  step.change(by_user);
  step.commit();
}

void Writer::add_user(std::string_view id) {
  check_id(id, "user");
  if (state_->find_user(id)) return;
  Step step(*this);
  step.user(id);
  step.commit();
}

void Writer::add_item(std::string_view id, std::string_view title) {
  check_id(id, "item");
  const auto known = state_->find_item(id);
  if (known && (title.empty() || state_->item_title(*known) == title)) return;
  Step step(*this);
  const std::uint32_t item = step.item(id);
  if (!title.empty()) {
    step.next().titles.edit(item, step.next().version) = std::make_shared<const std::string>(title);
  }
  step.commit();
}

void Writer::remove_user(std::string_view id) {
  const auto user = state_->find_user(id);
  if (!user) return;
  Step step(*this);
  State& next = step.next();
  Values all;
  for (const std::uint32_t item : next.users[*user].ratings.items) all[item] = nullptr;
  step.change({{*user, all}});
  next.users.edit(*user, next.version).known = false;
  --next.user_count;
  step.commit();
}

void Writer::remove_item(std::string_view id) {
  const auto item = state_->find_item(id);
  if (!item) return;
  Step step(*this);
  State& next = step.next();
  std::map<std::uint32_t, Values> by_user;
  for (const std::uint32_t user : *next.raters[*item]) by_user[user][*item] = nullptr;
  step.change(by_user);
  auto known = std::make_shared<std::vector<std::uint8_t>>(*next.known_items);
  (*known)[*item] = 0;
  next.known_items = std::move(known);
  next.titles.edit(*item, next.version) = nullptr;
  --next.item_count;
  step.commit();
}

}  // namespace palate::live
