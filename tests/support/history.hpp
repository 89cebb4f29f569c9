// A history of random changes that happens to a live model and to a plain twin of its ratings.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "palate/live.hpp"
#include "support/random_ratings.hpp"
#include "support/sums.hpp"

namespace palate::testing {

// The ratings as they should be, kept as plainly as possible.
class Truth {
 public:
  explicit Truth(std::size_t criteria) : criteria_(criteria) {}

  std::map<std::pair<std::string, std::string>, std::vector<float>> ratings;
  std::set<std::string> users, items;

  void rate(const std::string& user, const std::string& item, const std::vector<float>& values) {
    users.insert(user);
    items.insert(item);
    ratings[{user, item}] = values;
  }
  void remove_user(const std::string& user) {
    users.erase(user);
    std::erase_if(ratings, [&](const auto& r) { return r.first.first == user; });
  }
  void remove_item(const std::string& item) {
    items.erase(item);
    std::erase_if(ratings, [&](const auto& r) { return r.first.second == item; });
  }
  [[nodiscard]] Ratings build() const {
    RatingsBuilder builder(criterion_names(criteria_));
    for (const std::string& user : users) builder.add_user(user);
    for (const std::string& item : items) builder.add_item(item);
    for (const auto& [key, values] : ratings) builder.add(key.first, key.second, values);
    return builder.build();
  }

 private:
  std::size_t criteria_;
};

class History {
 public:
  explicit History(const RandomShape& shape) : truth(shape.criteria), shape_(shape), random_(7) {
    for (std::size_t u = 0; u < shape.users; ++u) truth.users.insert("user " + std::to_string(u));
    for (std::size_t i = 0; i < shape.items; ++i) truth.items.insert("item/" + std::to_string(i));
    for (const Row& row : random_rows(shape, 11)) {
      // The last criterion is one that nobody uses at first.
      Row most = row;
      most.values.back() = absent;
      if (std::all_of(most.values.begin(), most.values.end(), [](float v) { return v != v; })) {
        continue;
      }
      truth.rate(most.user, most.item, most.values);
    }
  }

  // One random thing happens to both.
  void happen(LiveModel& live) {
    const std::string user = some_user();
    const std::string item = some_item();
    const std::uint64_t dice = random_.below(20);
    const Follow when = random_.below(2) == 0 ? Follow::now : Follow::later;
    if (dice == 0) {
      live.remove_user(user, when);
      truth.remove_user(user);
    } else if (dice == 1) {
      live.remove_item(item, when);
      truth.remove_item(item);
    } else if (dice == 2) {
      live.add_user(user);
      live.add_item(item, "a title");
      truth.users.insert(user);
      truth.items.insert(item);
    } else if (dice < 8) {
      std::vector<RatingChange> changes;
      for (const auto& [key, values] : truth.ratings) {
        if (random_.below(truth.ratings.size()) < 2) changes.push_back({key.first, key.second, {}});
      }
      for (const RatingChange& change : changes) truth.ratings.erase({change.user, change.item});
      live.apply(changes, when);
    } else {
      std::vector<RatingChange> changes;
      for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
        changes.push_back({some_user(), some_item(), some_values()});
        truth.rate(changes.back().user, changes.back().item, changes.back().values);
      }
      live.apply(changes, when);
    }
  }

  Truth truth;

 private:
  static constexpr float absent = std::numeric_limits<float>::quiet_NaN();

  std::string some_user() { return "user " + std::to_string(random_.below(shape_.users + 3)); }
  std::string some_item() { return "item/" + std::to_string(random_.below(shape_.items + 20)); }
  std::vector<float> some_values() {
    std::vector<float> values;
    for (std::size_t c = 0; c < shape_.criteria; ++c) {
      const bool given = random_.uniform() < 0.7;
      values.push_back(given ? 0.5F * static_cast<float>(random_.below(11)) : absent);
    }
    if (random_.below(2) == 0) values.back() = absent;
    if (std::all_of(values.begin(), values.end(), [](float v) { return v != v; })) values[0] = 3;
    return values;
  }

  RandomShape shape_;
  Random random_;
};

/// What the parts of an explanation come to with its baseline, and how large they all are.
[[nodiscard]] inline Sum sum_of_parts(const Explanation& why) {
  Sum out;
  out.add(why.baseline);
  for (const Explanation::Part& part : why.parts) out.add(part.value);
  for (const Explanation::Dial& dial : why.dials) out.add(dial.value);
  return out;
}

}  // namespace palate::testing
