// Dials of fitted and live models, and what they do.
#include <algorithm>
#include <array>

#include "api/answers.hpp"
#include "evaluation/evaluator.hpp"
#include "palate/error.hpp"
#include "palate/evaluation.hpp"

namespace palate {
namespace {

std::vector<DialStrength> calibrated(const Advisor::Impl& asked, const Contrasts& contrasts) {
  const RatingsView& ratings = *asked.ratings;
  std::vector<Query> people;
  for (const std::uint32_t user :
       spread(ratings.counts().users, people_for_dials,
              [&](std::uint32_t one) { return ratings.of(one).size() > 0; })) {
    people.push_back({.ratings = ratings.of(user), .top = items_for_dials, .user = user});
  }
  ThreadPool pool;
  return calibrate_dials(*asked.recommender, contrasts, people, pool);
}

}  // namespace

std::vector<std::uint32_t> spread(std::size_t users, std::size_t most,
                                  const std::function<bool(std::uint32_t)>& fit) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t user = 0; user < users; ++user) {
    if (fit(user)) all.push_back(user);
  }
  if (all.size() <= most) return all;
  std::vector<std::uint32_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(all[k * all.size() / most]);
  return some;
}

const Dials& Advisor::Impl::dials() const {
  std::call_once(made_dials_, [&] {
    const auto total = [&](std::uint32_t item, std::size_t c) { return ratings->total(item, c); };
    Contrasts contrasts(ratings->item_indices(), ratings->criteria(), total,
                        ratings->known_items());
    std::vector<DialStrength> strengths = origin->dials;
    if (strengths.empty()) strengths = calibrated(*this, contrasts);
    dials_.emplace(Dials{std::move(contrasts), std::move(strengths)});
  });
  return *dials_;
}

DialReport measure_dials(const Model& model, const Ratings& test, const EvaluateOptions& options,
                         const RunOptions& run) {
  constexpr std::size_t most_people = 2000;
  constexpr std::size_t length = 10;
  constexpr std::array weights = {0.25, 0.5, 1.0, 2.0, 4.0};
  const Advisor::Impl& asked = Inside::of(model);
  const Ratings& train = model.ratings();
  EvaluateOptions judging = options;
  judging.at = {length};
  judging.weights.clear();
  const std::vector<std::uint8_t> relevant = relevant_interactions(train, test, judging);
  std::vector<std::size_t> first(test.users() + 1);
  for (std::uint32_t user = 0; user < test.users(); ++user) {
    first[user + 1] = first[user] + test.of(user).size();
  }
  const std::vector<std::uint32_t> users =
      spread(test.users(), most_people, [&](std::uint32_t user) {
        return std::any_of(relevant.begin() + static_cast<std::ptrdiff_t>(first[user]),
                           relevant.begin() + static_cast<std::ptrdiff_t>(first[user + 1]),
                           [](std::uint8_t one) { return one != 0; });
      });
  std::vector<std::uint8_t> keep(test.interactions());
  std::vector<std::uint32_t> place(test.users());
  for (std::uint32_t k = 0; k < users.size(); ++k) {
    place[users[k]] = k;
    std::fill(keep.begin() + static_cast<std::ptrdiff_t>(first[users[k]]),
              keep.begin() + static_cast<std::ptrdiff_t>(first[users[k] + 1]), std::uint8_t{1});
  }
  const Ratings sample = subset(test, keep);
  ThreadPool pool(run.threads, run.progress, "dials");

  using Lists = std::vector<std::vector<ScoredItem>>;
  const auto lists_with = [&](std::span<const float> boost) {
    std::vector<Query> queries;
    for (const std::uint32_t user : users) {
      queries.push_back({.ratings = train.of(user), .top = length, .user = user, .boost = boost});
    }
    Lists lists(queries.size());
    asked.recommender->recommend(queries, lists, pool);
    return lists;
  };
  DialReport out{users.size(), relevance_text(train, judging), 0, {}};
  const auto ndcg_of = [&](const Lists& lists) {
    const auto list_of = [&](std::uint32_t user) {
      std::vector<std::uint32_t> items;
      for (const ScoredItem& one : lists[place[user]]) items.push_back(one.item);
      return items;
    };
    return evaluate_given_lists(list_of, train, sample, judging, pool, {}).mean.at("ndcg@10");
  };
  const Dials& dials = asked.dials();
  const Lists plain = lists_with({});
  out.ndcg = ndcg_of(plain);
  const std::size_t trials = train.criteria().size() * weights.size();
  for (std::size_t c = 0; c < train.criteria().size(); ++c) {
    const std::span<const float> z = dials.contrasts.of(c);
    const auto height = [&](const Lists& lists) {
      double sum = 0;
      double places = 0;
      for (const auto& list : lists) {
        for (const ScoredItem& one : list) sum += static_cast<double>(z[one.item]);
        places += static_cast<double>(list.size());
      }
      return places > 0 ? sum / places : 0;
    };
    const double before = height(plain);
    for (std::size_t w = 0; w < weights.size(); ++w) {
      std::vector<double> turned(train.criteria().size(), 1.0);
      turned[c] = weights[w];
      const std::vector<TurnedDial> dial = turn(dials.strengths, turned);
      const Lists lists = dial.empty() ? plain : lists_with(boosts(dials.contrasts, dial));
      double kept = 0;
      double places = 0;
      for (std::size_t k = 0; k < lists.size(); ++k) {
        for (const ScoredItem& one : lists[k]) {
          kept += std::any_of(plain[k].begin(), plain[k].end(),
                              [&](const ScoredItem& old) { return old.item == one.item; })
                      ? 1
                      : 0;
        }
        places += static_cast<double>(lists[k].size());
      }
      out.effects.push_back({train.criteria()[c].name, weights[w], height(lists) - before,
                             places > 0 ? 10 * (1 - kept / places) : 0, ndcg_of(lists)});
      if (run.progress && !run.progress("dials", c * weights.size() + w + 1, trials)) {
        throw Error(ErrorCode::cancelled, "stopped on request");
      }
    }
  }
  return out;
}

}  // namespace palate
