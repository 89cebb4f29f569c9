#include "evaluation/evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "core/ratings_data.hpp"
#include "evaluation/list_metrics.hpp"
#include "palate/error.hpp"

namespace palate {
namespace {

constexpr std::size_t batch_size = 32768;
constexpr std::size_t metrics_per_list = list_metric_names.size();

class Stopwatch {
 public:
  /// Seconds since the last call, or since the start.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::vector<std::size_t> checked_lengths(std::vector<std::size_t> at) {
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  if (at.empty() || at.front() == 0) {
    throw Error(
        ErrorCode::usage,
        at.empty() ? "no length of list to measure at" : "a list of length 0 has no quality", {},
        "name one or more whole numbers above 0, such as 5 and 10");
  }
  return at;
}

void check(const Recommender& recommender, const Ratings& train, std::span<const float> weights) {
  if (recommender.items() != train.items() || recommender.criteria() != train.criteria().size()) {
    throw Error(ErrorCode::usage, "the recommender was fitted on ratings of another catalogue");
  }
  if (!weights.empty() && weights.size() != train.criteria().size()) {
    throw Error(ErrorCode::usage, "weights must be one per criterion, overall first");
  }
}

// The relevant test items of one user, ascending by item.
struct Liked {
  std::span<const std::uint32_t> items;
  std::span<const std::uint8_t> relevant;

  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::count(relevant.begin(), relevant.end(), 1));
  }
  [[nodiscard]] bool has(std::uint32_t item) const {
    const auto found = std::lower_bound(items.begin(), items.end(), item);
    return found != items.end() && *found == item &&
           relevant[static_cast<std::size_t>(found - items.begin())] != 0;
  }
};

Liked liked_by(const Ratings& test, std::span<const std::uint8_t> relevant, std::uint32_t user) {
  const auto& offsets = test.data().offsets;
  return {test.of(user).items, relevant.subspan(offsets[user], offsets[user + 1] - offsets[user])};
}

std::vector<std::uint8_t> hits_of(std::span<const ScoredItem> list, const Liked& liked) {
  std::vector<std::uint8_t> hits(list.size());
  for (std::size_t r = 0; r < list.size(); ++r) hits[r] = liked.has(list[r].item) ? 1 : 0;
  return hits;
}

// How often each item was recommended in the first K places, for every K.
class CatalogueUse {
 public:
  CatalogueUse(const Ratings& train, std::span<const std::size_t> at) : at_(at) {
    counts_.assign(at.size(), std::vector<std::uint64_t>(train.items(), 0));
    std::vector<std::uint32_t> raters(train.items(), 0);
    const Ratings::Data& data = train.data();
    for (std::size_t k = 0; k < data.items.size(); ++k) {
      if ((data.present[k] & 1U) != 0) ++raters[data.items[k]];
    }
    novelty_.reserve(raters.size());
    for (const std::uint32_t n : raters) {
      // -log2((1 + raters) / (1 + users)): finite for an item that nobody rated, 0 for one that all
      // did
      novelty_.push_back(std::log2(1.0 + static_cast<double>(train.users())) - std::log2(1.0 + n));
    }
  }

  void add(std::span<const ScoredItem> list) {
    for (std::size_t n = 0; n < at_.size(); ++n) {
      for (const ScoredItem& entry : list.first(std::min(at_[n], list.size()))) {
        ++counts_[n][entry.item];
      }
    }
  }

  /// coverage, novelty, gini of the n-th length.
  [[nodiscard]] std::array<double, 3> values(std::size_t n) const {
    std::uint64_t total = 0;
    std::size_t used = 0;
    double novelty = 0;
    for (std::size_t i = 0; i < counts_[n].size(); ++i) {
      total += counts_[n][i];
      used += counts_[n][i] > 0 ? 1 : 0;
      novelty += static_cast<double>(counts_[n][i]) * novelty_[i];
    }
    if (total == 0) return {0, 0, 0};
    return {static_cast<double>(used) / static_cast<double>(counts_[n].size()),
            novelty / static_cast<double>(total), gini(counts_[n])};
  }

 private:
  std::span<const std::size_t> at_;
  std::vector<std::vector<std::uint64_t>> counts_;
  std::vector<double> novelty_;
};

// Metric m at the n-th length stands at m * lengths + n in Evaluation::metrics.
class Marks {
 public:
  Marks(std::span<const std::size_t> at, std::size_t users, std::size_t longest)
      : at_(at),
        ideal_(std::min(at.back(), longest)),
        per_user_(metrics_per_list * at.size(), std::vector<float>(users)),
        sums_(per_user_.size(), 0.0),
        batch_(per_user_.size() * batch_size) {}

  /// Judges the k-th list of the batch; lists may be judged in parallel.
  void judge(std::size_t k, std::span<const ScoredItem> list, const Liked& liked) {
    const std::vector<std::uint8_t> hits = hits_of(list, liked);
    const std::size_t relevant = liked.count();
    for (std::size_t n = 0; n < at_.size(); ++n) {
      const auto values = measure_list(hits, relevant, at_[n], ideal_);
      for (std::size_t m = 0; m < metrics_per_list; ++m) {
        batch_[k * sums_.size() + m * at_.size() + n] = values[m];
      }
    }
  }

  /// Takes the judged batch over, in order, so that sums do not depend on threads.
  void close_batch(std::size_t first_user, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t m = 0; m < sums_.size(); ++m) {
        const double value = batch_[k * sums_.size() + m];
        sums_[m] += value;
        per_user_[m][first_user + k] = static_cast<float>(value);
      }
    }
  }

  void into(Evaluation& out, const CatalogueUse& use) {
    const auto users = static_cast<double>(out.users.size());
    for (std::size_t m = 0; m < metrics_per_list; ++m) {
      for (std::size_t n = 0; n < at_.size(); ++n) {
        const std::size_t slot = m * at_.size() + n;
        put(out, list_metric_names[m], n, sums_[slot] / users, std::move(per_user_[slot]));
      }
    }
    std::vector<std::array<double, catalogue_metric_names.size()>> values;
    for (std::size_t n = 0; n < at_.size(); ++n) values.push_back(use.values(n));
    for (std::size_t m = 0; m < catalogue_metric_names.size(); ++m) {
      for (std::size_t n = 0; n < at_.size(); ++n) {
        put(out, catalogue_metric_names[m], n, values[n][m], {});
      }
    }
  }

 private:
  void put(Evaluation& out, std::string_view metric, std::size_t n, double mean,
           std::vector<float> per_user) const {
    out.metrics.push_back(std::string(metric) + "@" + std::to_string(at_[n]));
    out.mean[out.metrics.back()] = mean;
    out.per_user.push_back(std::move(per_user));
  }

  std::span<const std::size_t> at_;
  Ideal ideal_;
  std::vector<std::vector<float>> per_user_;
  std::vector<double> sums_;
  std::vector<double> batch_;
};

std::vector<std::uint32_t> users_with_relevant(const Ratings& test,
                                               std::span<const std::uint8_t> relevant) {
  std::vector<std::uint32_t> users;
  for (std::uint32_t u = 0; u < test.users(); ++u) {
    if (liked_by(test, relevant, u).count() > 0) users.push_back(u);
  }
  return users;
}

std::vector<std::uint32_t> some_users(const Ratings& test, std::span<const std::uint8_t> relevant,
                                      const std::string& rule) {
  std::vector<std::uint32_t> users = users_with_relevant(test, relevant);
  if (users.empty()) {
    throw Error(ErrorCode::bad_input,
                "no user has a relevant item in the test part, so there is nothing to measure (" +
                    rule + ")",
                {}, "lower the threshold, choose another rule, or set more ratings aside");
  }
  return users;
}

// Fills one list, of at most `top` items, for each of some users.
using MakeLists = std::function<void(std::span<const std::uint32_t> users, std::size_t top,
                                     std::span<std::vector<ScoredItem>> lists)>;

Evaluation judge_lists(const MakeLists& make_lists, const Ratings& train, const Ratings& test,
                       const EvaluateOptions& options, ThreadPool& pool, const Progress& progress) {
  const std::vector<std::size_t> at = checked_lengths(options.at);
  Stopwatch watch;
  double recommend_seconds = 0;
  const std::vector<std::uint8_t> relevant = relevant_interactions(train, test, options);
  Evaluation out;
  out.relevance = relevance_text(train, options);
  out.users = some_users(test, relevant, out.relevance);
  CatalogueUse use(train, at);
  Marks marks(at, out.users.size(), train.items());
  double metrics_seconds = watch.lap();

  std::vector<std::vector<ScoredItem>> lists;
  for (std::size_t begin = 0; begin < out.users.size(); begin += batch_size) {
    const auto batch = std::span<const std::uint32_t>(out.users).subspan(
        begin, std::min(batch_size, out.users.size() - begin));
    lists.resize(batch.size());
    make_lists(batch, std::min(at.back(), train.items()), lists);
    recommend_seconds += watch.lap();
    pool.for_chunks(batch.size(), 64, [&](std::size_t from, std::size_t to, unsigned) {
      for (std::size_t k = from; k < to; ++k) {
        marks.judge(k, lists[k], liked_by(test, relevant, batch[k]));
      }
    });
    marks.close_batch(begin, batch.size());
    for (const auto& list : lists) use.add(list);
    metrics_seconds += watch.lap();
    if (progress && !progress("evaluate", begin + batch.size(), out.users.size())) {
      throw Error(ErrorCode::cancelled, "the evaluation was stopped");
    }
  }
  marks.into(out, use);
  metrics_seconds += watch.lap();
  out.seconds = {{"recommend", recommend_seconds}, {"metrics", metrics_seconds}};
  return out;
}

// What no honest list holds: items that are not there, twice the same one, or what was seen.
void check_list(std::span<const ScoredItem> list, const Ratings& train, std::uint32_t user) {
  const UserRatings row = train.of(user);
  const auto fail = [&](const std::string& message, const char* hint) {
    throw Error(ErrorCode::bad_input,
                "the list of user '" + std::string(train.user_id(user)) + "' " + message, {}, hint);
  };
  std::vector<std::uint32_t> items;
  for (const ScoredItem& one : list) {
    if (one.item >= train.items()) fail("holds an item that is not in the catalogue", "");
    const std::string name = "'" + std::string(train.item_id(one.item)) + "'";
    const auto at = std::lower_bound(row.items.begin(), row.items.end(), one.item);
    if (at != row.items.end() && *at == one.item &&
        (row.present[static_cast<std::size_t>(at - row.items.begin())] & 1U) != 0) {
      fail("holds " + name + ", which they rated in train", "leave out what a user has rated");
    }
    if (std::find(items.begin(), items.end(), one.item) != items.end()) {
      fail("holds " + name + " twice", "");
    }
    items.push_back(one.item);
  }
}

}  // namespace

std::vector<std::uint32_t> judged_users(const Ratings& train, const Ratings& test,
                                        const EvaluateOptions& options) {
  return users_with_relevant(test, relevant_interactions(train, test, options));
}

Evaluation evaluate_recommender(const Recommender& recommender, const Ratings& train,
                                const Ratings& test, const EvaluateOptions& options,
                                const Wishes& wishes, ThreadPool& pool, const Progress& progress) {
  check(recommender, train, wishes.term_weights);
  std::vector<Query> queries;
  const auto ask = [&](std::span<const std::uint32_t> users, std::size_t top, auto lists) {
    queries.clear();
    for (const std::uint32_t user : users) {
      queries.push_back({.ratings = train.of(user),
                         .term_weights = wishes.term_weights,
                         .top = top,
                         .user = user,
                         .boost = wishes.boost});
    }
    recommender.recommend(queries, lists, pool);
  };
  return judge_lists(ask, train, test, options, pool, progress);
}

Evaluation evaluate_given_lists(const ListOf& list_of, const Ratings& train, const Ratings& test,
                                const EvaluateOptions& options, ThreadPool& pool,
                                const Progress& progress) {
  const auto take = [&](std::span<const std::uint32_t> users, std::size_t top, auto lists) {
    for (std::size_t k = 0; k < users.size(); ++k) {
      lists[k].clear();
      for (const std::uint32_t item : list_of(users[k])) {
        if (lists[k].size() < top) lists[k].push_back({item, 0});
      }
      check_list(lists[k], train, users[k]);
    }
  };
  return judge_lists(take, train, test, options, pool, progress);
}

}  // namespace palate
