#include "tuning/hold_out.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "evaluation/evaluator.hpp"
#include "evaluation/list_metrics.hpp"
#include "methods/method_entry.hpp"
#include "palate/evaluation.hpp"
#include "palate/split.hpp"

namespace palate {
namespace {

constexpr std::uint32_t left_out = ~std::uint32_t{0};
constexpr std::size_t list_length = 10;

// Of each item, its place among the `most` with the most ratings, or left_out. Places keep the
// order of items.
std::vector<std::uint32_t> places_of(const Ratings& train, std::size_t most) {
  const std::vector<std::uint32_t> raters = levels_of(train).raters();
  std::vector<std::uint32_t> order(raters.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return raters[a] > raters[b]; });
  if (most > 0 && order.size() > most) order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> out(raters.size(), left_out);
  for (std::uint32_t place = 0; place < order.size(); ++place) out[order[place]] = place;
  return out;
}

}  // namespace

HoldOut::HoldOut(const Ratings& all, const HoldOutOptions& options) {
  const Split parts = split(all, {.test = options.share, .seed = options.seed});
  train_ = parts.train;
  const std::vector<std::uint32_t> place = places_of(train_, options.items);
  levels_.items = static_cast<std::size_t>(
      std::count_if(place.begin(), place.end(), [](std::uint32_t p) { return p != left_out; }));
  const std::vector<std::uint8_t> relevant =
      relevant_interactions(parts.train, parts.test, {.threshold = options.threshold});
  std::size_t held = 0;
  for (std::uint32_t user = 0; user < all.users(); ++user) {
    Person person{.user = user, .places = {}, .rated = {}, .relevant = {}};
    const UserRatings row = train_.of(user);
    for (std::uint32_t k = 0; k < row.size(); ++k) {
      if (place[row.items[k]] == left_out) continue;
      person.places.push_back(k);
      person.rated.push_back(place[row.items[k]]);
      levels_.columns.push_back(place[row.items[k]]);
      levels_.values.push_back(level(row, k, all.criteria()));
    }
    if (!person.rated.empty()) levels_.offsets.push_back(levels_.columns.size());
    for (const std::uint32_t item : parts.test.of(user).items) {
      if (relevant[held++] != 0 && place[item] != left_out) person.relevant.push_back(place[item]);
    }
    if (!person.rated.empty() && !person.relevant.empty()) people_.push_back(std::move(person));
  }
  if (options.pairs > 0) learn_from(options.pairs, options.seed);
  raters_ = levels_.raters();
  if (options.people > 0 && people_.size() > options.people) {
    // By a hash of the id: the sample depends on the seed and the ids alone.
    std::sort(people_.begin(), people_.end(), [&](const Person& a, const Person& b) {
      return hash64(all.user_id(a.user), options.seed) < hash64(all.user_id(b.user), options.seed);
    });
    people_.resize(options.people);
  }
}

// People by a hash of where they stand, until their pairs are as many as may be.
void HoldOut::learn_from(double pairs, std::uint64_t seed) {
  std::vector<std::uint32_t> order(levels_.people());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [seed](std::uint32_t person) { return mix64(mix64(seed) ^ person); };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  double sum = 0;
  std::size_t taken = 0;
  for (; taken < order.size() && sum <= pairs; ++taken) {
    const auto count = static_cast<double>(levels_.count(order[taken]));
    sum += count * count;
  }
  if (taken == order.size()) return;
  order.resize(taken);
  std::sort(order.begin(), order.end());
  Levels some;
  some.items = levels_.items;
  for (const std::uint32_t person : order) {
    for (std::uint64_t at = levels_.offsets[person]; at < levels_.offsets[person + 1]; ++at) {
      some.columns.push_back(levels_.columns[at]);
      some.values.push_back(levels_.values[at]);
    }
    some.offsets.push_back(some.columns.size());
  }
  levels_ = std::move(some);
}

Worth HoldOut::judge(const LinearSignal& signal, std::span<const float> sources, ThreadPool& pool,
                     const MakeLists& make) const {
  const std::size_t width = train_.criteria().size();
  std::vector<std::vector<float>> x(people());
  std::vector<Asking> askings(people());
  pool.for_chunks(people(), 64, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      const Person& person = people_[p];
      const UserRatings row = train_.of(person.user);
      for (std::size_t n = 0; n < person.places.size(); ++n) {
        float sum = 0;
        for (std::size_t c = 0; c < width; ++c) sum += signal.of(row, person.places[n], c, width);
        x[p].push_back(sum * sources[person.rated[n]]);
      }
      askings[p] = {person.rated, x[p], person.rated, {}, list_length};
    }
  });
  std::vector<std::vector<ScoredItem>> lists(people());
  make(askings, lists);
  return judge_lists(lists);
}

Worth HoldOut::judge(const Method& method, const FitResources& resources) const {
  const auto fitted =
      MethodAccess::entry(method).fit(train_, MethodAccess::settings(method), resources);
  std::vector<Query> queries;
  for (const Person& person : people_) {
    queries.push_back({.ratings = train_.of(person.user), .top = list_length, .user = person.user});
  }
  std::vector<std::vector<ScoredItem>> lists(people());
  fitted->recommend(queries, lists, resources.pool);
  return judge_lists(lists);
}

Worth HoldOut::judge_lists(std::span<const std::vector<ScoredItem>> lists) const {
  const Ideal ideal(list_length);
  Worth out;
  out.reserve(lists.size());
  std::vector<std::uint8_t> hits;
  for (std::size_t p = 0; p < lists.size(); ++p) {
    const auto& relevant = people_[p].relevant;
    hits.clear();
    for (const ScoredItem& entry : lists[p]) {
      hits.push_back(std::binary_search(relevant.begin(), relevant.end(), entry.item) ? 1 : 0);
    }
    double sum = 0;
    for (const std::size_t at : {std::size_t{5}, list_length}) {
      const auto some = std::span(hits).first(std::min(at, hits.size()));
      const auto measured = measure_list(some, relevant.size(), at, ideal);
      sum += measured[0] + measured[3];  // recall, ndcg: list_metric_names
    }
    out.push_back(static_cast<float>(sum / 4));
  }
  return out;
}

}  // namespace palate
